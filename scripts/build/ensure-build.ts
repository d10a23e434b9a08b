import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { currentBuild } from '../../server/transport/http/pages/built-pages.ts'
import { withFolderLock } from '../launch/folder-lock.mjs'
import { root, run, logLine } from '../steps.ts'
import { bundledServer, bundleServer } from './bundle-server.ts'
import { hashInputs } from './hash-inputs.ts'

const pageInputs = [
  'web',
  'contract',
  'vite.config.ts',
  'scripts/build/build.ts',
  'scripts/build/ensure-build.ts',
  'package-lock.json',
]

/** Argument that skips the build of the pages if the current build is of the current sources. */
const onlyMissing = '--only-missing'

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Builds the pages and bundles the server, unless both exist for the current sources. Returns the path of the bundled
 * server. Exits on a failure.
 */
export async function ensureBuild(): Promise<string> {
  const server = bundledServer()
  if (existsSync(server) && hasPages(hashInputs(pageInputs))) return server
  // Build in a separate process: in the process of the server the build tools would keep 300 MB of memory.
  if (!(await run(process.execPath, [import.meta.filename, onlyMissing]))) process.exit(1)
  return server
}

function hasPages(sourceHash: string): boolean {
  return currentBuild()?.endsWith(`-${sourceHash}`) === true
}

async function buildNow(): Promise<void> {
  // The user of the service must be able to read the build, which contains no secrets.
  process.umask(process.umask() & 0o022)
  try {
    await withFolderLock(join(root, 'node_modules'), async () => {
      if (!existsSync(bundledServer())) {
        logLine('bundling the server')
        await bundleServer()
      }
      const sourceHash = hashInputs(pageInputs)
      if (process.argv.includes(onlyMissing) && hasPages(sourceHash)) return
      logLine('building the pages')
      // Import lazily: the check for a current build does not need the build tools.
      const { build } = await import('./build.ts')
      await build(sourceHash)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = unwritable.has(code ?? '') ? '; run npm run build as the owner of this folder' : ''
    logLine(`build failed: ${message}${advice}`)
    process.exit(1)
  }
}

if (import.meta.main) await buildNow()
