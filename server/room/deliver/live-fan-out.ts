import { type EncodedMessage, frameBytes } from './message-packets.ts'
import { maxFlushBytes, maxQueuedBytes } from '../send/send-queue.ts'

/** How a flush is cut: into chunks that are written at once, and slices of the event loop's time. */
export interface Slicing {
  /** After so long the event loop has a turn for reading. */
  sliceMs: number
  chunkSize: number
}

/**
 * Longer than a room of two thousand takes, which is told in one piece; short enough that nobody who writes to a larger
 * one waits noticeably. All of a chunk are looked at before the first is written to
 * (`fanout/socket-writer.ts`), which is cheaper the larger it is.
 */
export const defaultSlicing: Slicing = { sliceMs: 25, chunkSize: 512 }

interface Flush<S> {
  messages: readonly EncodedMessage[]
  readers: readonly S[]
  written: number
  startedAt: number
}

interface LiveFlushesDeps<S> {
  /** Those who are there when a flush begins; who comes later stands behind it. */
  readers: () => Iterable<S>
  /** Gets the same `messages` for every chunk of a flush. */
  write: (chunk: readonly S[], messages: readonly EncodedMessage[]) => void
  onWritten: (tookMs: number) => void
  slicing: Slicing
}

/**
 * What was stored, on its way to everybody: flush after flush, each to all of its readers before the next begins. Ten
 * thousand writes take a tenth of a second, and whatever arrives meanwhile would wait for all of them: so they are cut
 * into slices, with reading in between. What is stored during a flush leaves together in the next one.
 */
export function createLiveFanOut<S>({ readers, write, onWritten, slicing }: LiveFlushesDeps<S>) {
  let waiting: EncodedMessage[] = []
  let waitingBytes = 0
  let current: Flush<S> | null = null
  /** The rest comes after the event loop's next turn. */
  let continuation: NodeJS.Immediate | null = null
  let callers: { seq: number; resolve: () => void }[] = []

  function takeNext(): Flush<S> | null {
    if (waiting.length === 0) return null
    let [count, bytes] = [0, 0]
    for (const { payload } of waiting) {
      bytes += frameBytes(payload)
      if (count > 0 && bytes > maxFlushBytes) break
      count++
    }
    const messages = waiting.splice(0, count)
    for (const { payload } of messages) waitingBytes -= frameBytes(payload)
    return { messages, readers: [...readers()], written: 0, startedAt: performance.now() }
  }

  function run(): void {
    continuation = null
    const sliceEndsAt = performance.now() + slicing.sliceMs
    for (current ??= takeNext(); current !== null; current = takeNext()) {
      const flush = current
      while (flush.written < flush.readers.length) {
        write(flush.readers.slice(flush.written, flush.written + slicing.chunkSize), flush.messages)
        flush.written += slicing.chunkSize
        // After the last chunk there is nothing to yield for: a small room is told at once, as long as that takes.
        if (flush.written >= flush.readers.length || performance.now() < sliceEndsAt) continue
        return yieldTurn()
      }
      onWritten(performance.now() - flush.startedAt)
      answerCallers(flush.messages.at(-1)?.seq ?? 0)
      if (waiting.length > 0 && performance.now() >= sliceEndsAt) {
        current = null
        return yieldTurn()
      }
    }
  }

  function yieldTurn(): void {
    continuation = setImmediate(run)
  }

  function answerCallers(writtenSeq: number): void {
    const answered = callers.filter(({ seq }) => seq <= writtenSeq)
    callers = callers.filter(({ seq }) => seq > writtenSeq)
    for (const { resolve } of answered) resolve()
  }

  /** Whoever is left behind reads the log, at its own pace: by the newest, which it does not stand before, it is found. */
  function keepNewest(): void {
    waiting = waiting.slice(-1)
    waitingBytes = waiting.reduce((bytes, { payload }) => bytes + frameBytes(payload), 0)
  }

  function forget(): void {
    if (continuation !== null) clearImmediate(continuation)
    continuation = null
    current = null
    waiting = []
    waitingBytes = 0
    // Nobody waits for what will not be written.
    answerCallers(Infinity)
  }

  return {
    add(messages: readonly EncodedMessage[]): void {
      for (const message of messages) {
        waiting.push(message)
        waitingBytes += frameBytes(message.payload)
      }
      if (waitingBytes > maxQueuedBytes) keepNewest()
      if (current === null && continuation === null) run()
    },
    /** Resolves when all that was added so far has been written to everybody. */
    written(): Promise<void> {
      const last = waiting.at(-1) ?? current?.messages.at(-1)
      if (last === undefined) return Promise.resolve()
      return new Promise((resolve) => callers.push({ seq: last.seq, resolve }))
    },
    /** What was added belongs to a log that is no more. */
    forget,
  }
}
