import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import workerThreads, { type WorkerOptions } from 'node:worker_threads'
import { serverEntry } from './server-entry.ts'

const areBundled = Symbol.for('chat-room starts storage threads from the bundle')

// Replace the class once, because several test files run in one process, one after the other.
if (!(areBundled in process)) {
  Object.assign(process, { [areBundled]: true })
  const { Worker } = workerThreads
  /** Starts storage threads from the bundle of the current sources, if it exists. This takes a quarter of the CPU time. */
  workerThreads.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      const bundled = script instanceof URL ? join(dirname(serverEntry), basename(script.pathname)) : ''
      super(existsSync(bundled) ? bundled : script, options)
    }
  }
  syncBuiltinESMExports()
}
