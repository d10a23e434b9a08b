import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/**
 * Node flags of the server. A smaller young generation nearly halves the memory of idle connections. One V8 worker
 * thread instead of four keeps garbage collection from taking the only core of a small machine
 * (docs/decisions/006-garbage-collection.md). SIGUSR1 never opens the debugger, not even during the start.
 */
export const serverFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--disable-sigusr1']

/**
 * Returns the environment variable that enables Node's compile cache, which halves the time of a start. The cache is in
 * `dist`, or in the data folder if `dist` is not writable. Returns `{}` if the variable is set or neither folder is
 * writable.
 */
export function compileCache(root, environment = process.env) {
  if (environment.NODE_COMPILE_CACHE !== undefined) return {}
  const folder = [join(root, 'dist'), environment.DATA_DIR ?? join(root, 'data')].find(isWritable)
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: join(folder, 'compile-cache') }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
