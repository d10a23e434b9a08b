import { readFileSync } from 'node:fs'

const trigger = 'fault-point'
/** CPU time of a costly input. Time in which other processes use the core does not count. */
const costlyInputMs = 30
type Environment = Record<string, string | undefined>

/**
 * Fault injection that acts when the process reaches the named point. `texts` returns the texts that the process
 * handles there.
 */
export type FaultPoint<Point extends string = string> = (point: Point, texts: () => readonly string[]) => void

/**
 * Returns the fault point that, in tests, kills the process at the point named by `FAULT_POINT` when a text contains the
 * trigger.
 */
export function faultPointFrom(env: Environment): FaultPoint {
  const wanted = env['FAULT_POINT']
  if (env['NODE_ENV'] !== 'test' || wanted === undefined) return () => undefined
  return (point, texts) => {
    if (point === wanted && texts().some((text) => text.includes(trigger))) process.kill(process.pid, 'SIGKILL')
  }
}

/**
 * Returns a function that, in tests with `FAULT_POINT=costly-input`, blocks the event loop for an input that contains the
 * trigger.
 */
export function costlyInputFrom(env: Environment): (text: unknown) => void {
  if (env['NODE_ENV'] !== 'test' || env['FAULT_POINT'] !== 'costly-input') return () => undefined
  return (text) => {
    if (typeof text !== 'string' || !text.includes(trigger)) return
    const start = process.threadCpuUsage()
    for (let usedMs = 0; usedMs < costlyInputMs;) {
      const { user, system } = process.threadCpuUsage(start)
      usedMs = (user + system) / 1_000
    }
  }
}

/**
 * Returns the fault point that, in tests, makes a storage thread fail at the first call that contains the trigger. The
 * thread ends, or it blocks in a system call, as on a disk that hangs, until the test writes to the FIFO.
 */
export function storageFaultFrom(env: Environment): { faultPoint?: (args: unknown[]) => void } {
  const { FAULT_POINT: wanted, FAULT_FIFO: fifo, NODE_ENV: mode } = env
  if (mode !== 'test' || (wanted !== 'storage-dies' && wanted !== 'storage-hangs')) return {}
  let isSpent = false
  return {
    faultPoint(args) {
      if (isSpent || !JSON.stringify(args).includes(trigger)) return
      isSpent = true
      // In a worker thread, `process.exit` ends only the thread.
      if (wanted === 'storage-dies') process.exit(1)
      if (fifo !== undefined) readFileSync(fifo)
    },
  }
}
