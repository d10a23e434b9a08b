import { setTimeout as sleep } from 'node:timers/promises'
import { splitBySize } from '../../../base/split-by-size.ts'
import type { OpenRedisConnection, RedisConnection, RedisReply } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { createRedisLink } from '../redis-link.ts'
import { flushWindowMs } from '../../../room/send/flush-scheduler.ts'
import { encodePayload, frameBytes } from '../../../room/deliver/message-packets.ts'
import { maxFlushBytes } from '../../../room/send/send-queue.ts'
import type { StoredMessage } from '../../../room/message-log.ts'
import { decodeEntries, fetchMessages } from './log-entries.ts'
import { decodeRemovals } from './log-removals.ts'
import { removalsKey, streamKey } from './log-scripts.ts'
import type { LogState } from './log-state.ts'

export const maxMessagesPerRead = 500
/** Maximum time for which a read waits. It is shorter than the deadline of a command, which detects a lost connection. */
const blockMs = 1_000
/**
 * Minimum interval of maintenance, which advances the time of the log and trims the log of a quiet room. Maintenance also
 * detects a log that was replaced: removing the stream does not wake a blocked reader.
 */
const maintenanceIntervalMs = 1_000
const reconnectMs = 200

/**
 * Stream of the events of the cluster. The log reader reads it in the same command as the log, so that a node that
 * reconnects reads the events that it missed. Redis rejects an append of a node that has not processed all events: an event
 * may have revoked the sender's session.
 */
export interface EventStream {
  readonly key: string
  /** Prepares each new connection before its first read. */
  open(connection: RedisConnection): Promise<void>
  /** Returns the id after which to read; never `$`, which skips entries added between two reads. */
  after(): string
  processEvent(id: string, fields: readonly string[]): void
  /**
   * Returns the nonce of the event with the id `after()`; empty if there is none. The nonce is the fourth element of the
   * field list of an entry.
   */
  processed(): string
  /** Processes all events up to now. */
  catchUp(connection: RedisConnection): Promise<void>
}

interface ReaderOptions {
  url: string
  connect: OpenRedisConnection
  state: LogState
  adopt: (connection: RedisConnection) => Promise<void>
  maintain: (connection: RedisConnection) => Promise<unknown>
  events: EventStream
  onFailed: (error: unknown) => void
}

/**
 * Reads the messages, removals and cluster events of all nodes on its own connection. After a delivery of messages, the
 * reader waits for the end of the flush window, so that messages accumulate in Redis and are delivered as a batch.
 */
export function startLogReader({ url, connect, state, adopt, maintain, events, onFailed }: ReaderOptions) {
  const link = createRedisLink(url, 'chat-room-reader', prepare, connect)
  let isClosed = false
  let maintainedAt = 0
  const ended = run()

  async function prepare(connection: RedisConnection): Promise<void> {
    await adopt(connection)
    await events.open(connection)
  }

  async function run(): Promise<void> {
    // The log must not call its listener in the turn in which it was opened.
    await sleep(0)
    while (!isClosed) {
      let connection: RedisConnection | null = null
      try {
        connection = await link.connection()
        await readOnce(connection)
        if (performance.now() - maintainedAt < maintenanceIntervalMs) continue
        maintainedAt = performance.now()
        await maintain(connection)
      } catch (error) {
        // An error that is not a `RedisError` is a defect, for example of a listener. A retry would not fix it.
        if (!(error instanceof RedisError)) throw error
        connection?.close()
        if (isClosed) return
        onFailed(error)
        await sleep(reconnectMs)
      }
    }
  }

  async function readOnce(open: RedisConnection): Promise<void> {
    const startedAt = performance.now()
    state.skipTrimmed()
    const version = state.version()
    const { log } = state.identity()
    const keys = [streamKey(log), removalsKey(log), events.key]
    const from = [`${state.bounds().head}-0`, `${state.removals.count()}-0`, events.after()]
    const limits = ['COUNT', `${maxMessagesPerRead}`, 'BLOCK', `${blockMs}`]
    const reply = await open.command(['XREAD', ...limits, 'STREAMS', ...keys, ...from])
    for (const [key, entries] of (reply ?? []) as [string, RedisReply][]) {
      if (key === removalsKey(log)) {
        if (state.version() === version) for (const removal of decodeRemovals(entries)) state.deliverRemoval(removal)
        continue
      }
      if (key !== streamKey(log)) {
        for (const [id, fields] of entries as [string, string[]][]) events.processEvent(id, fields)
        continue
      }
      const { known, hasUnknownTerm } = decodeEntries(entries, state.line().lineage)
      await deliverInFlushes(await fetchMessages(open, log, known), version, startedAt)
      // Another node has begun a term. The next connection adopts it.
      if (hasUnknownTerm && state.version() === version) throw new RedisError('The log has a new term.')
    }
  }

  async function deliverInFlushes(messages: readonly StoredMessage[], version: number, readAt: number): Promise<void> {
    let startedAt = readAt
    for (const flush of splitIntoFlushes(messages)) {
      // Another connection may have adopted another log since the read, or during the wait after the last flush.
      if (state.version() !== version) return
      const deliveredAt = performance.now()
      state.deliver(flush)
      const deliveryMs = performance.now() - deliveredAt
      await sleep(Math.max(startedAt + flushWindowMs - performance.now(), deliveryMs, 0))
      startedAt = performance.now()
    }
  }

  return {
    async close(): Promise<void> {
      isClosed = true
      link.close()
      await ended
    },
  }
}

/** Splits messages into flushes, each at most as large as a batch of the send queue. */
const splitIntoFlushes = (messages: readonly StoredMessage[]) =>
  splitBySize(messages, ({ message }) => frameBytes(encodePayload(message)), {
    maxSize: maxFlushBytes,
    maxItems: maxMessagesPerRead,
  })
