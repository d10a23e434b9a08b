import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresProgram } from '../../scripts/programs.ts'
import { findFreePort } from './free-port.ts'
import { createServiceProcess } from './service-process.ts'

const password = 'a password of the tests'
const superuser = 'postgres'

interface PostgresOptions {
  /** Settings that differ from the defaults, for example `{ max_connections: '10' }`. */
  settings?: Record<string, string>
  port?: number
}

/** Starts a real PostgreSQL on a free port with a temporary folder. The caller must call `close`. */
export async function startPostgres({ settings = {}, port: wantedPort }: PostgresOptions = {}) {
  const port = wantedPort ?? (await findFreePort())
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-postgres-'))
  const data = join(folder, 'data')
  const owner = findPostgresUser()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner !== null) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid)
  initialise(data, passwordFile, owner)

  // No Unix socket: its path has at most 107 bytes, and nested temporary folders are longer.
  const all = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const service = createServiceProcess({
    command: [
      programPath('postgres'),
      '-D',
      data,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    ready: /database system is ready to accept (read-only )?connections/,
    parentDeathSignal: 'QUIT',
    cwd: folder,
    ...(owner === null ? {} : { user: superuser }),
  })
  await service.start()

  const urlOf = (database: string) =>
    `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  /** Runs one statement and returns the output of psql. */
  function query(sql: string, database = superuser): string {
    const args = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql, urlOf(database)]
    const { stdout, stderr, status } = spawnSync(programPath('psql'), args, { encoding: 'utf8', timeout: 30_000 })
    if (status !== 0) throw new Error(`psql ${sql}: ${stderr}`)
    return stdout.trimEnd()
  }

  let databases = 0
  return {
    port,
    url: urlOf(superuser),
    query,
    /** Creates an empty database and returns its URL. */
    createDatabase(): string {
      databases += 1
      query(`CREATE DATABASE test_${databases}`)
      return urlOf(`test_${databases}`)
    },
    /** Stops all replies. New connections are still accepted. */
    pause: service.pause,
    resume: service.resume,
    kill: () => service.kill(),
    start: () => service.start(),
    async restart(): Promise<void> {
      await service.kill()
      await service.start()
    },
    /** Restarts as a standby, like the old primary after a failover. `SELECT pg_promote()` ends it. */
    async restartAsStandby(): Promise<void> {
      await service.kill()
      writeFileSync(join(data, 'standby.signal'), '')
      await service.start()
    },
    /** Restarts without data, as after a replaced disk. */
    async wipe(): Promise<void> {
      await service.kill()
      rmSync(data, { recursive: true })
      initialise(data, passwordFile, owner)
      await service.start()
    },
    async close(): Promise<void> {
      await service.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Owner {
  uid: number
  gid: number
}

function initialise(data: string, passwordFile: string, owner: Owner | null): void {
  const args = [
    '-D',
    data,
    '-U',
    superuser,
    `--pwfile=${passwordFile}`,
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    '--locale=C',
  ]
  // Only the initial files are not synced. The server itself syncs every commit.
  const { status, stderr } = spawnSync(programPath('initdb'), [...args, '--no-sync'], {
    encoding: 'utf8',
    cwd: tmpdir(),
    ...owner,
  })
  if (status !== 0) throw new Error(`initdb: ${stderr}`)
}

/** Returns the user of the Debian package when this process is root, because PostgreSQL does not run as root. */
function findPostgresUser(): Owner | null {
  if (process.getuid?.() !== 0) return null
  const id = (flag: string) => Number(spawnSync('id', [flag, superuser], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

function programPath(name: string): string {
  const path = postgresProgram(name)
  if (path === null) throw new Error(`${name} is missing; it comes with the Debian package postgresql`)
  return path
}
