import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresProgram } from '../../scripts/programs.ts'
import { projectRoot } from './project-root.ts'

export const password = 'a password of the tests'
export const superuser = 'postgres'

const templates = join(projectRoot, '.cache')

export interface Owner {
  uid: number
  gid: number
}

/**
 * Creates the data folder of a new PostgreSQL. Copies the result of the first `initdb` of this version and user,
 * because `initdb` takes a second of CPU time.
 */
export function createPostgresData(data: string, owner: Owner | null): void {
  const version = run(postgresProgramPath('initdb'), ['--version']).replaceAll(/[^\w.]+/g, '-')
  const template = join(templates, `${version}${owner?.uid ?? process.getuid?.() ?? ''}`)
  if (!existsSync(template)) createTemplate(template, owner)
  run('cp', ['-a', template, data])
}

function createTemplate(template: string, owner: Owner | null): void {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-initdb-'))
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner !== null) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const args = ['-D', data, '-U', superuser, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8']
  // Only the initial files are not synced. The server itself syncs every commit.
  run(postgresProgramPath('initdb'), [...args, '--locale=C', '--no-sync'], owner)
  mkdirSync(templates, { recursive: true })
  const copy = `${template}.${process.pid}`
  run('cp', ['-a', data, copy])
  rmSync(folder, { recursive: true })
  try {
    renameSync(copy, template)
  } catch (error) {
    // Another process may have created the template meanwhile.
    rmSync(copy, { recursive: true })
    if (!existsSync(template)) throw error
  }
}

function run(program: string, args: string[], owner: Owner | null = null): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd: tmpdir(), ...owner })
  if (status !== 0) throw new Error(`${program}: ${stderr}`, { cause: error })
  return stdout
}

/**
 * Returns the user of the Debian package if this process is root, because PostgreSQL does not run as root. Otherwise
 * returns null.
 */
export function findPostgresUser(): Owner | null {
  if (process.getuid?.() !== 0) return null
  const id = (flag: string) => Number(run('id', [flag, superuser]))
  return { uid: id('-u'), gid: id('-g') }
}

export function postgresProgramPath(name: string): string {
  const path = postgresProgram(name)
  if (path === null) throw new Error(`${name} is missing; it comes with the Debian package postgresql`)
  return path
}
