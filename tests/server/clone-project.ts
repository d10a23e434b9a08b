import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, temporaryFolder } from './spawn-server.ts'

/** What a clone has of its own, so that neither what is edited nor what is built here and now matters. */
const sources = [
  'contract',
  'server',
  'web',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'vite.config.ts',
  '.npmrc',
]

/** A clone with the packages installed, but not yet marked as such, and nothing built. */
export function cloneProject(whenDone?: (clean: () => void) => void): string {
  const clone = temporaryFolder(whenDone)
  for (const name of sources) cpSync(join(projectRoot, name), join(clone, name), { recursive: true })
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    if (name !== '.installed') symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name))
  }
  return clone
}

/** An npm that finds everything installed already: that it is called, and when, is the question. */
export function idleNpm(clone: string): string {
  const npm = join(clone, 'npm-cli.cjs')
  writeFileSync(npm, 'if (process.argv[2] !== "install") process.exit(1)')
  return npm
}

/** A clone as `npm run build` leaves it. */
export function prepareClone(whenDone?: (clean: () => void) => void): string {
  const clone = cloneProject(whenDone)
  const launcher = join(clone, 'scripts/launch.mjs')
  const { status, stderr } = spawnSync(process.execPath, [launcher, 'build'], {
    env: { ...process.env, npm_execpath: idleNpm(clone) },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The clone cannot be built: ${stderr}`)
  return clone
}
