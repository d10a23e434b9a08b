import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentBuild } from '../server/transport/http/pages/built-pages.ts'
import { joinedModulesFolder } from '../server/base/joined-modules.ts'
import { inTurn } from './launch/turns.mjs'
import { root, run, say } from './steps.ts'

const inputs = [
  'web/**/*',
  'contract/**/*.ts',
  'vite.config.ts',
  'scripts/build.ts',
  'scripts/ensure-build.ts',
  'package-lock.json',
]

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Builds the pages unless they are made from exactly these sources. */
export async function ensureBuild(): Promise<void> {
  const modules = joinedModulesFolder()
  const areJoined = modules === null || existsSync(modules)
  if (areJoined && currentBuild()?.endsWith(`-${hashOfInputs()}`) === true) return
  // In a process of its own: in the one that goes on to serve, the tools that build would stay, with 300 MB.
  if (!(await run(process.execPath, [import.meta.filename]))) process.exit(1)
}

async function buildAnew(): Promise<void> {
  say('building the pages')
  // Nothing secret, and read by whoever the service runs as.
  process.umask(process.umask() & 0o022)
  // Loaded only now: who looks whether all is built needs none of the tools that build it.
  const { build, joinModules } = await import('./build.ts')
  try {
    await inTurn(join(root, 'node_modules'), async () => {
      await joinModules()
      await build(hashOfInputs())
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // A mistake of whoever prepared this folder, not a defect: no stack.
    const advice = unwritable.has(code ?? '') ? '; run npm run build as the owner of this folder' : ''
    say(`the pages cannot be built (${message})${advice}`)
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

if (import.meta.main) await buildAnew()
