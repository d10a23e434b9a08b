import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/**
 * How Node runs the server: a young generation of 8 MB, so that idle connections take less than half the memory, and one
 * helping thread instead of four, so that marking does not take a small machine's only core from the room
 * (docs/decisions/006-garbage-collection.md). SIGUSR1 does not open the debugger, not even while the server starts.
 */
export const serverFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--disable-sigusr1']

/**
 * Where Node keeps what it has compiled, from its first file on: a start takes half as long. Beside the build; where that
 * cannot be written, in the data folder, once there is one; without either it only takes longer.
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
