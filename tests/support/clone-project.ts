import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { bundledServer } from '../../scripts/build/bundle-server.ts'
import { builtFolder } from '../../server/base/built-folder.ts'
import { currentBuild } from '../../server/transport/http/pages/built-pages.ts'
import { projectRoot } from './project-root.ts'

/** Files to copy into a clone, so that it does not depend on later edits or builds of this tree. */
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

/** File by which the launcher marks that all packages are installed. */
const installed = 'node_modules/.installed'

type RegisterCleanup = (clean: () => void) => void

/** Creates a copy of the sources, as after `git clone`: nothing installed, nothing built. */
function createClone(registerCleanup: RegisterCleanup): string {
  const clone = mkdtempSync(join(tmpdir(), 'chat-room-clone-'))
  // `fs.rm` takes a minute for installed packages on a busy machine.
  registerCleanup(() => void spawnSync('rm', ['-rf', clone]))
  for (const name of sources) cpSync(join(projectRoot, name), join(clone, name), { recursive: true })
  return clone
}

/** Creates a clone with the packages in place but not marked as installed, and nothing built. */
export function createCloneWithPackages(registerCleanup: RegisterCleanup): string {
  const clone = createClone(registerCleanup)
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    if (!['.installed', '.preparing'].includes(name))
      symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name))
  }
  return clone
}

/**
 * Creates an npm that installs nothing, takes `durationMs`, and supports only `install`. Tests use it to check whether
 * and when npm runs.
 */
export function createFakeNpm(clone: string, durationMs = 0): string {
  const npm = join(clone, 'npm-cli.cjs')
  writeFileSync(npm, `if (process.argv[2] !== "install") process.exit(1); setTimeout(() => undefined, ${durationMs})`)
  return npm
}

/** Creates a clone with the packages in place, but not marked as installed, and with a copy of the current build. */
export function createCloneWithBuild(registerCleanup: RegisterCleanup): string {
  const clone = createCloneWithPackages(registerCleanup)
  const current = currentBuild()
  const server = dirname(bundledServer())
  if (current === null || !existsSync(server)) throw new Error('These tests need a build: npm run build')
  for (const part of ['current', `builds/${current}`, relative(builtFolder, server)]) {
    cpSync(join(builtFolder, part), join(clone, 'dist', part), { recursive: true })
  }
  return clone
}

/** Creates a clone as `npm run build` leaves it, with the npm of `createFakeNpm`. */
export function createBuiltClone(registerCleanup: RegisterCleanup): string {
  const clone = createCloneWithBuild(registerCleanup)
  createFakeNpm(clone)
  markAsInstalled(clone)
  return clone
}

/** Marks the packages of a clone as completely installed. */
export function markAsInstalled(clone: string): void {
  copyFileSync(join(projectRoot, installed), join(clone, installed))
}
