import { flushCompileCache } from 'node:module'
import { importBundledModules } from './base/bundled-modules.ts'

/** Delay until the compile cache is saved: after clients have reconnected, but soon, as a killed process saves nothing. */
const saveCompiledAfterMs = 5_000

importBundledModules()
// Import dynamically: a static import would load the libraries before the hooks are registered.
const { runServer } = await import('./process/run.ts')
runServer(async () => {
  const { createServer } = await import('./app.ts')
  return (options) => createServer({ ...options, hiddenInternals: [] })
})
setTimeout(flushCompileCache, saveCompiledAfterMs).unref()
