import { flushCompileCache } from 'node:module'
import { runServer } from './process/run.ts'

/**
 * Delay until the compile cache is saved. Clients reconnect first. The delay is short, because a killed process saves
 * nothing.
 */
const saveCompiledAfterMs = 5_000

runServer(async () => {
  const { createServer } = await import('./app.ts')
  return (options) => createServer({ ...options, hiddenInternals: [] })
})
setTimeout(flushCompileCache, saveCompiledAfterMs).unref()
