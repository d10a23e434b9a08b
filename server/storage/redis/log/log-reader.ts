import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenRedisConnection, RedisConnection, RedisReply } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { flushWindowMs } from '../../../room/send/flush-scheduler.ts'
import { encodePayload, frameBytes } from '../../../room/deliver/message-packets.ts'
import { maxFlushBytes } from '../../../room/send/send-queue.ts'
import type { StoredMessage } from '../../../room/message-log.ts'
import { messagesOf } from './log-entries.ts'
import { askStand } from './log-fence.ts'
import { streamKey } from './log-scripts.ts'
import type { LogState } from './log-state.ts'

export const maxMessagesPerRead = 500
const blockMs = 1_000
/** Blocking reads are known to hang after a connection was lost silently. */
const readDeadlineMs = 3_000
/** However much comes: by its writes a node is known to be there (see `writersKey`), and a quiet room forgets too. */
const tidyEveryMs = 1_000
const reconnectMs = 100
const maxReconnectMs = 500

/** Another stream that is read in the same call: what a node misses while it is away, it hears when it is back. */
export interface SideStream {
  readonly key: string
  /** Right behind this id; never `$`, which loses what falls between two reads. */
  after(): string
  hear(id: string, fields: readonly string[]): void
}

interface ReaderOptions {
  url: string
  connect: OpenRedisConnection
  state: LogState
  fence: (connection: RedisConnection) => Promise<void>
  tidy: (connection: RedisConnection) => Promise<void>
  sideStreams: readonly SideStream[]
  onFailed: (error: unknown) => void
}

/**
 * Hears what any node stores, on a connection of its own, from the id that was heard last. One read per flush window:
 * what waits, waits in Redis, and leaves together.
 */
export function startLogReader({ url, connect, state, fence, tidy, sideStreams, onFailed }: ReaderOptions) {
  let connection: RedisConnection | null = null
  let closed = false
  let tidiedAt = 0
  const ended = run()

  async function run(): Promise<void> {
    let delayMs = reconnectMs
    // Nothing is heard in the turn in which the log was opened.
    await sleep(0)
    while (!closed) {
      try {
        connection = await connect(url, 'chat-room-reader')
        await fence(connection)
        delayMs = reconnectMs
        while (!closed) {
          await readOnce(connection)
          if (performance.now() - tidiedAt >= tidyEveryMs) {
            tidiedAt = performance.now()
            await tidy(connection)
          }
        }
      } catch (error) {
        // A defect of a listener is not for the next attempt to mend.
        if (!(error instanceof RedisError)) throw error
        if (!closed) onFailed(error)
      }
      connection?.close()
      if (!closed) await sleep(delayMs)
      delayMs = Math.min(maxReconnectMs, delayMs * 2)
    }
  }

  async function readOnce(open: RedisConnection): Promise<void> {
    const startedAt = performance.now()
    const { epoch, head } = state.stand()
    const log = streamKey(epoch)
    const keys = [log, ...sideStreams.map(({ key }) => key)]
    const from = [`${head}-0`, ...sideStreams.map((stream) => stream.after())]
    const reply = await open.command(
      ['XREAD', 'COUNT', `${maxMessagesPerRead}`, 'BLOCK', `${blockMs}`, 'STREAMS', ...keys, ...from],
      readDeadlineMs,
    )
    if (reply === null) return askWhatIsMissing(open, epoch)
    for (const [key, entries] of reply as [string, RedisReply][]) {
      // Another connection has learnt meanwhile that this is not the log any more.
      if (key === log && state.stand().epoch === epoch) await hearInFlushes(messagesOf(entries), startedAt)
      else hearAside(key, entries)
    }
  }

  /** When nothing comes: a wipe wakes no blocked reader. */
  async function askWhatIsMissing(open: RedisConnection, epoch: string): Promise<void> {
    const before = state.stand().head
    const { seq: head } = await askStand(open, state, epoch)
    if (head <= before) return
    // Stored between the two questions, most likely: it is in the next answer. What is not there is gone.
    const found = await open.command(['XRANGE', streamKey(epoch), `${before + 1}`, '+', 'COUNT', '1'])
    if (Array.isArray(found) && found.length === 0 && state.stand().epoch === epoch) state.skipTo(head)
  }

  async function hearInFlushes(messages: readonly StoredMessage[], readAt: number): Promise<void> {
    let startedAt = readAt
    for (const flush of flushesOf(messages)) {
      const toldAt = performance.now()
      state.hear(flush)
      const heldMs = performance.now() - toldAt
      await sleep(Math.max(startedAt + flushWindowMs - performance.now(), heldMs, 0))
      startedAt = performance.now()
    }
  }

  function hearAside(key: string, entries: RedisReply): void {
    const stream = sideStreams.find((one) => one.key === key)
    for (const [id, fields] of entries as [string, string[]][]) stream?.hear(id, fields)
  }

  return {
    /** Begins anew: it is connected, and does not hear. */
    rebuild: () => connection?.close(),
    async close(): Promise<void> {
      closed = true
      connection?.close()
      await ended
    },
  }
}

/** No more to each socket in one write than the room itself would flush. */
function flushesOf(messages: readonly StoredMessage[]): StoredMessage[][] {
  const flushes: StoredMessage[][] = [[]]
  let bytes = 0
  for (const one of messages) {
    const more = frameBytes(encodePayload(one.message))
    if (bytes > 0 && bytes + more > maxFlushBytes) {
      flushes.push([])
      bytes = 0
    }
    bytes += more
    flushes.at(-1)?.push(one)
  }
  return flushes
}
