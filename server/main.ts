import { flushCompileCache } from 'node:module'
import { importJoinedModules } from './process/joined-modules.ts'

/** By then the arrivals after a restart are over; what is compiled is kept even if the process is killed later. */
const keepCompiledAfterMs = 5_000

importJoinedModules()
await import('./process/run.ts')
setTimeout(flushCompileCache, keepCompiledAfterMs).unref()
