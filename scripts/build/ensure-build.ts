import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentBuild } from '../../server/transport/http/pages/built-pages.ts'
import { bundledModulesFolder } from '../../server/base/bundled-modules.ts'
import { withFolderLock } from '../launch/folder-lock.mjs'
import { root, run, logLine } from '../steps.ts'

const inputs = [
  'web/**/*',
  'contract/**/*.ts',
  'vite.config.ts',
  'scripts/build/build.ts',
  'scripts/build/ensure-build.ts',
  'package-lock.json',
]

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Builds the pages and bundles the modules of the server, unless both exist for the current sources. Exits on a
 * failure.
 */
export async function ensureBuild(): Promise<void> {
  const modules = bundledModulesFolder()
  const hasModules = modules === null || existsSync(modules)
  if (hasModules && currentBuild()?.endsWith(`-${hashOfInputs()}`) === true) return
  // Build in a separate process: in the process of the server the build tools would keep 300 MB of memory.
  if (!(await run(process.execPath, [import.meta.filename]))) process.exit(1)
}

async function buildNow(): Promise<void> {
  logLine('building the pages')
  // The user of the service must be able to read the build, which contains no secrets.
  process.umask(process.umask() & 0o022)
  // Import lazily: the check for a current build does not need the build tools.
  const { build, joinModules } = await import('./build.ts')
  try {
    await withFolderLock(join(root, 'node_modules'), async () => {
      await joinModules()
      await build(hashOfInputs())
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = unwritable.has(code ?? '') ? '; run npm run build as the owner of this folder' : ''
    logLine(`the pages cannot be built (${message})${advice}`)
    process.exit(1)
  }
}

function hashOfInputs(): string {
  const hash = createHash('sha256')
  const files = inputs.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  for (const file of files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 32)
}

if (import.meta.main) await buildNow()
