import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtFolder } from '../../server/base/built-folder.ts'
import { currentBuild } from '../../server/transport/http/pages/built-pages.ts'
import { projectRoot } from './project-root.ts'

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

/** The mark of the launcher that all packages are installed. */
const installed = 'node_modules/.installed'

type RegisterCleanup = (clean: () => void) => void

/** As git makes it: nothing installed, nothing built. */
export function createClone(whenDone: RegisterCleanup): string {
  const clone = mkdtempSync(join(tmpdir(), 'chat-room-clone-'))
  // Not Node's own, which takes a minute for installed packages on a busy machine.
  whenDone(() => void spawnSync('rm', ['-rf', clone]))
  for (const name of sources) cpSync(join(projectRoot, name), join(clone, name), { recursive: true })
  return clone
}

/** A clone with the packages installed, but not yet marked as such, and nothing built. */
export function createCloneWithPackages(whenDone: RegisterCleanup): string {
  const clone = createClone(whenDone)
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    if (!['.installed', '.preparing'].includes(name))
      symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name))
  }
  return clone
}

/** An npm that finds everything installed already: that it is called, and when, is the question. */
export function createFakeNpm(clone: string, takesMs = 0): string {
  const npm = join(clone, 'npm-cli.cjs')
  writeFileSync(npm, `if (process.argv[2] !== "install") process.exit(1); setTimeout(() => undefined, ${takesMs})`)
  return npm
}

/** A clone with the packages installed and the pages built, by copying the build of these sources. */
export function builtClone(whenDone: RegisterCleanup): string {
  const clone = createCloneWithPackages(whenDone)
  const current = currentBuild()
  if (current === null) throw new Error('These tests need a build: npm run build')
  for (const part of ['current', 'modules', `builds/${current}`]) {
    cpSync(join(builtFolder, part), join(clone, 'dist', part), { recursive: true })
  }
  return clone
}

/** A clone as `npm run build` leaves it, with an npm that does nothing. */
export function createBuiltClone(whenDone: RegisterCleanup): string {
  const clone = builtClone(whenDone)
  createFakeNpm(clone)
  copyFileSync(join(projectRoot, installed), join(clone, installed))
  return clone
}
