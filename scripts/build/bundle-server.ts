import { join } from 'node:path'
import { root } from '../steps.ts'

/** Path of the bundle's entry. Its folder is as deep in the project as the sources that refer to files by relative paths. */
export const bundledServer = join(root, '.cache/server/main.ts')

/** Sources that the server starts by path, as a process or as a thread. */
const entries = [
  'main.ts',
  'storage/sqlite/storage-worker.ts',
  'storage/sqlite/log/sqlite-log-worker.ts',
  'storage/sqlite/accounts/sqlite-account-worker.ts',
]

/**
 * Bundles the server and its libraries for tests. Loading the 500 files of the server takes a third of the CPU time of
 * a start.
 */
async function bundleServer(): Promise<void> {
  // Import lazily: the path of the bundle is needed without the build tools.
  const { build } = await import('vite')
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    // This library contains machine code.
    ssr: { noExternal: true, external: ['@node-rs/argon2'] },
    build: {
      ssr: true,
      outDir: join(bundledServer, '..'),
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: entries.map((entry) => join(root, 'server', entry)),
        output: { entryFileNames: '[name].ts', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
}

if (import.meta.main) await bundleServer()
