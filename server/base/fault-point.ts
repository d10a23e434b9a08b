import { readFileSync } from 'node:fs'
import type { RoomHooks } from '../room/send/room.ts'

const trigger = 'fault-point'
type Environment = Record<string, string | undefined>

/** In tests only: kills the process at the named point, at the first message whose text contains the trigger. */
export function faultPointFrom(env: Environment): Pick<RoomHooks, 'faultPoint'> {
  const wanted = env['FAULT_POINT']
  if (env['NODE_ENV'] !== 'test' || wanted === undefined) return {}
  return {
    faultPoint(point, entries) {
      if (point === wanted && entries.some(({ message }) => message.message.includes(trigger))) {
        process.kill(process.pid, 'SIGKILL')
      }
    },
  }
}

/**
 * In tests only: what befalls a storage thread at the first call that carries the trigger. It dies, or it hangs in a
 * system call, as on a disk that never answers, until somebody writes to the FIFO.
 */
export function storageFaultFrom(env: Environment): { faultPoint?: (args: unknown[]) => void } {
  const { FAULT_POINT: wanted, FAULT_FIFO: fifo, NODE_ENV: mode } = env
  if (mode !== 'test' || (wanted !== 'storage-dies' && wanted !== 'storage-hangs')) return {}
  let spent = false
  return {
    faultPoint(args) {
      if (spent || !JSON.stringify(args).includes(trigger)) return
      spent = true
      // In a worker this ends the thread alone.
      if (wanted === 'storage-dies') process.exit(1)
      if (fifo !== undefined) readFileSync(fifo)
    },
  }
}
