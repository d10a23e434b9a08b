import { type EncodedMessage, frameBytes, maskRemoved } from './message-packets.ts'
import { maxFlushBytes, maxQueuedBytes } from '../send/send-queue.ts'
import { chunksOf, createSlicedTask, type Slicing } from './slicing.ts'

interface Batch<S> {
  messages: readonly EncodedMessage[]
  subscribers: readonly S[]
  /** Size of the messages for one subscriber. */
  bytes: number
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
 * is sliced and the event loop handles other input in between. Messages stored during a batch form later batches.
 */
export function createLiveFanOut<S>({ subscribers, write, onBatchWritten, slicing }: LiveFanOutDeps<S>) {
  let queued: EncodedMessage[] = []
  let queuedBytes = 0
  let current: Batch<S> | null = null
  const task = createSlicedTask(writeBatches, slicing)
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
    return { messages, subscribers: [...subscribers()], bytes, startedAtMs: performance.now() }
  }

  function* writeBatches(): Generator<void, void> {
    for (current = takeBatch(); current !== null; current = takeBatch()) {
      const batch = current
      for (const chunk of chunksOf(batch.subscribers, slicing, batch.bytes)) {
        write(chunk, batch.messages)
        yield
      }
      onBatchWritten(performance.now() - batch.startedAtMs)
      resolveWaiters(batch.messages.at(-1)?.seq ?? 0)
    }
  }

  function resolveWaiters(writtenSeq: number): void {
    const done = waiters.filter(({ seq }) => seq <= writtenSeq)
    waiters = waiters.filter(({ seq }) => seq > writtenSeq)
    for (const { resolve } of done) resolve()
  }

  /** Keeps only the newest queued message. Subscribers that missed earlier ones detect the gap and replay from the log. */
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
      task.start()
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
      task.stop()
      current = null
      queued = []
      queuedBytes = 0
      resolveWaiters(Infinity)
    },
  }
}
