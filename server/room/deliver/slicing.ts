/** Limits that divide a fan-out, so that it does not block the event loop. */
export interface Slicing {
  /** Time after which the fan-out yields to the event loop. */
  sliceMs: number
  /** Maximum number of connections in one write. */
  chunkSize: number
}

/**
 * Default limits. A room of two thousand connections fits in one slice. In a larger room, the slice is short enough
 * that the delay of acks is not noticeable. Larger chunks are cheaper: `socket-writer.ts` checks all sockets of a chunk
 * before the first write, which uses the processor's cache better.
 */
export const defaultSlicing: Slicing = { sliceMs: 25, chunkSize: 512 }
/** Maximum number of bytes in one write to several connections: the kernel copies the packets for each of them. */
export const maxChunkBytes = 8 * 1_024 * 1_024

/** Returns the connections in chunks. Each connection gets `bytes` bytes, so large packets are written to fewer at once. */
export function* chunksOf<C>(connections: readonly C[], { chunkSize }: Slicing, bytes = 0): Generator<readonly C[]> {
  const size = Math.max(1, Math.min(chunkSize, Math.floor(maxChunkBytes / bytes)))
  for (let from = 0; from < connections.length; from += size) yield connections.slice(from, from + size)
}

/**
 * Creates a task that runs in slices. The steps yield after each chunk that they write. When the time of a slice is over,
 * the task continues in another turn of the event loop.
 */
export function createSlicedTask(steps: () => Generator<void, void>, { sliceMs }: Slicing) {
  let running: Generator<void, void> | null = null
  let continuation: NodeJS.Immediate | undefined

  function runSlice(): void {
    const endsAtMs = performance.now() + sliceMs
    const task = running
    while (task !== null && running === task) {
      let hasEnded = true
      try {
        hasEnded = task.next().done === true
      } finally {
        // A step that throws ends the task, so that it can start again.
        if (hasEnded && running === task) running = null
      }
      if (running !== task || performance.now() < endsAtMs) continue
      continuation = setImmediate(runSlice)
      return
    }
  }

  return {
    /** Starts the steps and runs the first slice at once, unless the task is already running. */
    start(): void {
      if (running !== null) return
      running = steps()
      runSlice()
    },
    /** Ends the task before its next step. */
    stop(): void {
      clearImmediate(continuation)
      running = null
    },
  }
}
