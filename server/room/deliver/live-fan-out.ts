import { type EncodedMessage, frameBytes, maskRemoved } from './message-packets.ts'
import { maxFlushBytes, maxQueuedBytes } from '../send/send-queue.ts'

/** Limits that divide the fan-out of one batch, so that it does not block the event loop. */
export interface Slicing {
  /** Time after which the fan-out yields to the event loop. */
  sliceMs: number
  /** Maximum number of subscribers in one write. */
  chunkSize: number
}

/**
 * Default limits. A room of two thousand subscribers fits in one slice. In a larger room, the slice is short enough
 * that the delay of acks is not noticeable. Larger chunks are cheaper: `socket-writer.ts` inspects all sockets of a
 * chunk before the first write.
 */
export const defaultSlicing: Slicing = { sliceMs: 25, chunkSize: 512 }
/** Maximum number of bytes in one write to several subscribers: the kernel copies the batch for each of them. */
export const maxChunkBytes = 8 * 1_024 * 1_024

interface Batch<S> {
  messages: readonly EncodedMessage[]
  subscribers: readonly S[]
  chunkSize: number
  writtenCount: number
  startedAtMs: number
}

interface LiveFanOutDeps<S> {
  /**
   * Returns the subscribers of a batch when the batch starts. A subscriber that joins later starts after the batch, or
   * replays it.
   */
  subscribers: () => Iterable<S>
  /** Writes messages to a chunk of subscribers. All chunks of a batch get the same array, unless a text is removed meanwhile. */
  write: (chunk: readonly S[], messages: readonly EncodedMessage[]) => void
  onBatchWritten: (durationMs: number) => void
  slicing: Slicing
}

/**
 * Writes stored messages to the live subscribers, batch by batch. Ten thousand writes take about 100 ms, so the fan-out
 * is sliced and the event loop handles other input in between. Messages stored during a batch form the next one.
 */
export function createLiveFanOut<S>({ subscribers, write, onBatchWritten, slicing }: LiveFanOutDeps<S>) {
  let queued: EncodedMessage[] = []
  let queuedBytes = 0
  let current: Batch<S> | null = null
  /** Next slice of the fan-out, scheduled while the fan-out yields to the event loop. */
  let continuation: NodeJS.Immediate | null = null
  let waiters: { seq: number; resolve: () => void }[] = []

  function takeBatch(): Batch<S> | null {
    if (queued.length === 0) return null
    let [count, bytes] = [0, 0]
    for (const { payload } of queued) {
      if (count > 0 && bytes + frameBytes(payload) > maxFlushBytes) break
      bytes += frameBytes(payload)
      count++
    }
    const messages = queued.splice(0, count)
    queuedBytes -= bytes
    const chunkSize = Math.max(1, Math.min(slicing.chunkSize, Math.floor(maxChunkBytes / bytes)))
    return { messages, subscribers: [...subscribers()], chunkSize, writtenCount: 0, startedAtMs: performance.now() }
  }

  function run(): void {
    continuation = null
    const sliceEndsAtMs = performance.now() + slicing.sliceMs
    for (current ??= takeBatch(); current !== null; current = takeBatch()) {
      const batch = current
      while (batch.writtenCount < batch.subscribers.length) {
        write(batch.subscribers.slice(batch.writtenCount, batch.writtenCount + batch.chunkSize), batch.messages)
        batch.writtenCount += batch.chunkSize
        // Do not yield after the last chunk: a small room is served in one slice.
        if (batch.writtenCount >= batch.subscribers.length || performance.now() < sliceEndsAtMs) continue
        return yieldToEventLoop()
      }
      onBatchWritten(performance.now() - batch.startedAtMs)
      resolveWaiters(batch.messages.at(-1)?.seq ?? 0)
      if (queued.length > 0 && performance.now() >= sliceEndsAtMs) {
        current = null
        return yieldToEventLoop()
      }
    }
  }

  function yieldToEventLoop(): void {
    continuation = setImmediate(run)
  }

  function resolveWaiters(writtenSeq: number): void {
    const done = waiters.filter(({ seq }) => seq <= writtenSeq)
    waiters = waiters.filter(({ seq }) => seq > writtenSeq)
    for (const { resolve } of done) resolve()
  }

  /** Keeps only the newest message. Subscribers that missed earlier ones detect the gap and replay from the log. */
  const keepNewest = () => replaceQueued(queued.slice(-1))

  function replaceQueued(messages: readonly EncodedMessage[]): void {
    queued = [...messages]
    queuedBytes = queued.reduce((bytes, { payload }) => bytes + frameBytes(payload), 0)
  }

  return {
    add(messages: readonly EncodedMessage[]): void {
      for (const message of messages) {
        queued.push(message)
        queuedBytes += frameBytes(message.payload)
      }
      if (queuedBytes > maxQueuedBytes) keepNewest()
      if (current === null && continuation === null) run()
    },
    /** Resolves when all messages added so far are written or dropped. */
    whenWritten(): Promise<void> {
      const last = queued.at(-1) ?? current?.messages.at(-1)
      if (last === undefined) return Promise.resolve()
      return new Promise((resolve) => waiters.push({ seq: last.seq, resolve }))
    },
    /** Replaces the texts of removed messages that are not written yet. */
    mask(removed: ReadonlySet<number>): void {
      replaceQueued(maskRemoved(queued, removed))
      if (current !== null) current.messages = maskRemoved(current.messages, removed)
    },
    /** Drops all messages that are not written yet. Call it after a break of the log. */
    clear(): void {
      if (continuation !== null) clearImmediate(continuation)
      continuation = null
      current = null
      queued = []
      queuedBytes = 0
      resolveWaiters(Infinity)
    },
  }
}
