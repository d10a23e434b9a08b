import { singleFlight } from '../../../base/single-flight.ts'
import type { Report } from '../../../observe/events.ts'
import {
  openRedisConnection,
  type OpenRedisConnection,
  type RedisConnection,
  type RedisReply,
} from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { createRedisLink } from '../redis-link.ts'
import { runScript } from '../redis-script.ts'
import { cursorAt } from '../../../room/lineage.ts'
import { createLogSubscribers } from '../../../room/log-subscribers.ts'
import type { AppendOutcome, LogEntry, MessageLog, Retention } from '../../../room/message-log.ts'
import { createLogAdoption } from './adopt-log.ts'
import { createCatchUp } from './catch-up.ts'
import { createFileErasure } from './erase-files.ts'
import { decodeEntries, decodeOutcome, encodeEntry, fetchMessages, splitIntoCalls } from './log-entries.ts'
import { readRemovals, removeInCalls } from './log-removals.ts'
import { type EventStream, startLogReader } from './log-reader.ts'
import { appendScript, boundsScript, checkScript, keysOf, streamKey } from './log-scripts.ts'
import { createLogState } from './log-state.ts'
import { removeScript } from './removal-scripts.ts'
import { createSenderQueries } from './sender-queries.ts'

/** Maximum time for the reader to deliver a stored message. Appends without deliveries are an outage too. */
const maxReadLagMs = 2_000
const replicaDeadlineMs = 2_000
/**
 * Maximum number of retries of an append. An event can be published during each retry; more than this many in a row mean a
 * defect.
 */
const maxEventRetries = 20

interface RedisLogOptions {
  url: string
  retention: Retention
  /** Number of replicas that must have a message before its ack. Any node may deliver the message before that. */
  waitReplicas: number
  events: EventStream
  report: Report
  /** Opens connections to Redis. The simulation replaces this function. */
  connect?: OpenRedisConnection
}

/** Opens the message log in Redis, to which any number of nodes append and from which they read. */
export async function openRedisLog(options: RedisLogOptions): Promise<MessageLog> {
  const { url, retention, waitReplicas, events, report } = options
  const { connect = openRedisConnection } = options
  const subscribers = createLogSubscribers()
  const state = createLogState(subscribers)
  const adopt = createLogAdoption(state)
  const link = createRedisLink(url, 'chat-room-log', adopt, connect)
  const opened = await link.connection()
  for (const removal of await readRemovals(opened, state.identity().log)) state.removals.add(removal)
  const erasure = createFileErasure({ url, connect, report })
  const onFailed = (error: unknown) => report({ type: 'redis-reader-failed', error })
  const reader = startLogReader({ url, connect, state, adopt, maintain, events, onFailed })
  const staleLogError = new RedisError('The log in Redis is not the one that this node has adopted.')
  const behindError = new RedisError('This node has not processed all cluster events.')
  /** Maximum lead of the time of the log over the monotonic clock of this node; `null` until a script returns that time. */
  let maxLeadMs: number | null = null

  /**
   * Runs a script on the log, and waits until `replicas` replicas have its writes. Closes the connection when Redis holds another
   * log; the next connection adopts that log.
   */
  async function runOnLog(
    connection: RedisConnection,
    script: typeof appendScript,
    args: readonly (string | number)[] = [],
    replicas = 0,
  ): Promise<RedisReply[]> {
    const version = state.version()
    const { run, log, term } = state.identity()
    const calledAtMs = Math.floor(performance.now())
    const timeLimit = maxLeadMs === null ? '' : calledAtMs + maxLeadMs
    const known = [run, term, state.knownHead(), timeLimit, retention.maxAgeMs, retention.maxMessages]
    const reply = await runScript(connection, script, [...keysOf(log), events.key], [...known, ...args])
    const [status, head, oldest, time, ...rest] = Array.isArray(reply) ? reply : []
    if (status === 'behind') throw behindError
    if (status !== 'ok') connection.close()
    else if (replicas > 0) await waitForReplicas(connection, replicas)
    // If the version differs, this node has adopted another log or term since the call.
    if (status !== 'ok' || state.version() !== version) throw staleLogError
    if (time !== '') maxLeadMs = Math.max(maxLeadMs ?? Number.NEGATIVE_INFINITY, Number(time) - calledAtMs)
    state.update({ head: Number(head), oldest: Number(oldest) })
    return rest
  }

  async function maintain(connection: RedisConnection): Promise<void> {
    try {
      const [erased = '', rewriting] = (await runOnLog(connection, checkScript)).map(String)
      const pending = { erased, rewriting: rewriting ?? '', run: state.identity().run }
      if (erased !== '') await erasure.continueRewrite(connection, pending)
    } catch (error) {
      if (!connection.isOpen()) throw error
      // The next append or check reports the error, for example that Redis rejects writes.
      await erasure.retryFailedSave(connection, error)
    }
  }

  async function appendInOneCall(entries: readonly LogEntry[], processed: string): Promise<AppendOutcome[]> {
    const connection = await link.connection()
    const { lineage } = state.line()
    const args = [processed, ...entries.flatMap((entry) => encodeEntry(entry, lineage))]
    return (await runOnLog(connection, appendScript, args, waitReplicas)).map(decodeOutcome)
  }

  /** Appends the entries whose senders are allowed. Checks the senders again whenever this node had missed events. */
  async function appendAllowed(
    entries: readonly LogEntry[],
    isAllowed: (index: number) => boolean,
  ): Promise<AppendOutcome[]> {
    for (let retries = 0; ; retries++) {
      // Read this value in the same turn as the check of the senders: an event that arrives before Redis runs the
      // append must cause a new check.
      const processed = events.processed()
      const isSent = entries.map((_, index) => isAllowed(index))
      const sent = entries.filter((_, index) => isSent[index])
      try {
        const outcomes = sent.length === 0 ? [] : await appendInOneCall(sent, processed)
        return isSent.map((one) => (one ? outcomes.shift() : undefined) ?? { rejected: 'unauthorized' })
      } catch (error) {
        if (error !== behindError || retries >= maxEventRetries) throw error
        await events.catchUp(await link.connection())
      }
    }
  }

  const fetchHead = singleFlight(async () => {
    const [removals] = await runOnLog(await link.connection(), boundsScript)
    return { ...cursorAt(state.line().lineage, state.knownHead()), removals: Number(removals) }
  })
  const { catchUp, waitFor } = createCatchUp({ state, fetchNewest: fetchHead, maxLagMs: maxReadLagMs })

  return {
    bounds: () => state.bounds(),
    lineage: () => state.line().lineage,
    subscribe: subscribers.subscribe,

    async append(entries, acknowledge, isAllowed = () => true) {
      const outcomes: AppendOutcome[] = []
      for (const call of splitIntoCalls(entries)) {
        const first = outcomes.length
        outcomes.push(...(await appendAllowed(call, (index) => isAllowed(first + index))))
      }
      acknowledge(outcomes)
    },

    catchUp,

    fetchHead,

    async readAfter(cursor, { maxMessages, maxCharacters }) {
      const connection = await link.connection()
      const { epoch, oldest, head } = state.bounds()
      if (cursor.epoch !== epoch || cursor.seq < oldest - 1 || cursor.seq > head) return null
      if (cursor.seq === head) return []
      const range = [`${cursor.seq + 1}`, `${head}`, 'COUNT', `${maxMessages}`]
      const version = state.version()
      const { log } = state.identity()
      const entries = await connection.command(['XRANGE', streamKey(log), ...range])
      const { known } = decodeEntries(entries, state.line().lineage)
      const found = await fetchMessages(connection, log, known)
      const isTrimmed = found[0]?.seq !== cursor.seq + 1
      // The first message was trimmed, or has another term. The script updates the bounds, or rejects a stale node.
      if (isTrimmed) await runOnLog(connection, boundsScript)
      if (state.version() !== version) throw staleLogError
      if (isTrimmed) return null
      let characters = 0
      const end = found.findIndex(({ seq, message }, index) => {
        const isBeyondPage = characters >= maxCharacters || seq !== cursor.seq + 1 + index
        characters += message.message.length
        return isBeyondPage
      })
      return end === -1 ? found : found.slice(0, end)
    },

    ...createSenderQueries(link, state),

    removals: () => state.removals,

    async remove(seqs) {
      const { removals, removed } = await removeInCalls(seqs, async (args) =>
        runOnLog(await link.connection(), removeScript, args, waitReplicas),
      )
      await waitFor(() => state.removals.count() >= removals)
      return removed
    },

    async check() {
      await runOnLog(await link.connection(), checkScript)
      const head = state.knownHead()
      await waitFor(() => state.bounds().head >= head)
    },

    async close() {
      await reader.close()
      link.close()
    },
  }
}

async function waitForReplicas(connection: RedisConnection, replicas: number): Promise<void> {
  const reached = await connection.command(['WAIT', `${replicas}`, `${replicaDeadlineMs}`])
  if (Number(reached) < replicas)
    throw new RedisError(`Only ${String(reached)} of ${replicas} replicas have the messages.`)
}
