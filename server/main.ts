import { flushCompileCache } from 'node:module'
import { importBundledModules } from './base/bundled-modules.ts'

/** When the compile cache is saved: after the clients of a restart are back, before the process can be killed. */
const saveCompiledAfterMs = 5_000

importBundledModules()
// Imported dynamically: a static import would load the libraries before the hooks are registered.
const { runServer } = await import('./process/run.ts')
runServer(async () => {
  const { createServer } = await import('./app.ts')
  return (options) => createServer({ ...options, hiddenInternals: [] })
})
setTimeout(flushCompileCache, saveCompiledAfterMs).unref()
