import { readdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { builtFolder } from '../../server/base/built-folder.ts'
import { keptEarlierBuilds } from '../../server/transport/http/pages/built-pages.ts'
import { root } from '../steps.ts'
import { hashInputs } from './hash-inputs.ts'
import { withWorkFolder } from './work-folder.ts'

const bundles = join(builtFolder, 'server')
const inputs = ['server', 'contract', 'tsconfig.base.json', 'package-lock.json', 'scripts/build/bundle-server.ts']

/** Sources that are started by path, as a process or as a thread. The bundle keeps their names. */
const entries = [
  'main.ts',
  'storage/sqlite/log/sqlite-log-worker.ts',
  'storage/sqlite/accounts/sqlite-account-worker.ts',
]

/**
 * Returns the path of the bundled server of the current sources, which may not exist. A hash of the sources is part of
 * the path, so that an older bundle never runs instead.
 */
export function bundledServer(): string {
  return join(bundles, hashInputs(inputs), 'main.ts')
}

/** Bundles the server and its libraries into a few files, which load faster. One rename publishes the complete bundle. */
export async function bundleServer(): Promise<void> {
  // Import lazily: callers that need only the path of the bundle do not load the build tools.
  const { build } = await import('vite')
  const folder = dirname(bundledServer())
  await withWorkFolder(bundles, async (work) => {
    const outDir = join(work, 'server')
    await build({
      configFile: false,
      root,
      logLevel: 'warn',
      // This library is a native addon, which a bundle cannot contain.
      ssr: { noExternal: true, external: ['@node-rs/argon2'] },
      build: {
        ssr: true,
        outDir,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: entries.map((entry) => join(root, 'server', entry)),
          output: { entryFileNames: '[name].ts', chunkFileNames: '[name]-[hash].mjs' },
        },
      },
    })
    if (dirname(bundledServer()) !== folder)
      throw new Error('the sources of the server changed during the build; build again')
    await rename(outDir, folder)
    await moveOldBundles(folder, work)
  })
}

/**
 * Moves the oldest bundles into a folder that is then removed, so that a killed build leaves no incomplete bundle. The
 * newest remain, because a running server imports some modules on their first use.
 */
async function moveOldBundles(current: string, target: string): Promise<void> {
  const names = (await readdir(bundles)).filter((name) => /^[0-9a-f]{32}$/.test(name))
  const folders = names.map((name) => join(bundles, name)).filter((folder) => folder !== current)
  const aged = await Promise.all(folders.map(async (folder) => ({ folder, builtAt: (await stat(folder)).mtimeMs })))
  const old = aged.toSorted((a, b) => b.builtAt - a.builtAt).slice(keptEarlierBuilds)
  for (const { folder } of old) await rename(folder, join(target, basename(folder)))
}
