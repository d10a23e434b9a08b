import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../../contract/messages.ts'
import { askTogether } from '../../../base/single-flight.ts'
import { withDeadline } from '../../../base/with-deadline.ts'
import {
  openRedisConnection,
  type OpenRedisConnection,
  type RedisConnection,
  type RedisReply,
} from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { createRedisLink } from '../redis-link.ts'
import { runScript } from '../redis-script.ts'
import type { AppendOutcome, LogEntry, LogListener, MessageLog, Retention } from '../../../room/message-log.ts'
import { argsOf, messagesOf, outcomeOf, partsOf, withIds } from './log-entries.ts'
import { askStand, createLogFence } from './log-fence.ts'
import { type SideStream, startLogReader } from './log-reader.ts'
import { appendScript, checkScript, idsKey, metaKey, streamKey, writersKey } from './log-scripts.ts'
import { createLogState } from './log-state.ts'

/** What is stored has to be heard within this time: publishing that works while nobody hears is an outage too. */
const maxUnheardMs = 2_000
const lookEveryMs = 20
const replicaDeadlineMs = 2_000
const signOffMs = 1_000

export interface RedisLogOptions {
  url: string
  retention: Retention
  listener: LogListener
  /** An append is answered only when so many replicas have it. Other nodes may have shown the message before. */
  waitReplicas?: number
  sideStreams?: readonly SideStream[]
  onReaderFailed?: (error: unknown) => void
  /** The simulation has a network of its own. */
  connect?: OpenRedisConnection
}

/** The room's log on a Redis stream that any number of nodes append to and hear. */
export async function openRedisLog(options: RedisLogOptions): Promise<MessageLog> {
  const { url, retention, listener, waitReplicas = 0, sideStreams = [], onReaderFailed = () => undefined } = options
  const { connect = openRedisConnection } = options
  const state = createLogState(listener)
  const fence = createLogFence(state)
  const link = createRedisLink(url, 'chat-room-log', fence, connect)
  await link.connection()
  const reader = startLogReader({ url, connect, state, fence, tidy, sideStreams, onFailed: onReaderFailed })
  const notOurs = new RedisError('The log in Redis is not the one that this node knows.')
  let deafTimer: NodeJS.Timeout | undefined

  /** Closes the connection when Redis holds another log: the next caller reconnects, and adopts what it finds. */
  async function onLog(
    connection: RedisConnection,
    script: typeof appendScript,
    args: readonly (string | number)[],
  ): Promise<RedisReply[]> {
    const { epoch } = state.stand()
    const run = state.run() ?? ''
    try {
      const keys = [metaKey, streamKey(epoch), idsKey(epoch), writersKey(epoch)]
      const reply = await runScript(connection, script, keys, [epoch, run, state.name, state.stamp(), ...args])
      const [answer, head, oldest, stamp, ...rest] = Array.isArray(reply) ? reply : []
      if (answer !== 'ok') throw notOurs
      state.note({ epoch, head: Number(head), oldest: Number(oldest), stamp: Number(stamp) })
      return rest
    } catch (error) {
      if (error === notOurs) connection.close()
      throw error
    }
  }

  /** Forgets what is too old as well, so it needs a server that can be written to. */
  async function tidyLog(connection: RedisConnection): Promise<number> {
    await onLog(connection, checkScript, [retention.maxAgeMs, retention.maxMessages])
    return state.seen()
  }

  async function tidy(connection: RedisConnection): Promise<void> {
    try {
      await tidyLog(connection)
    } catch {
      // Redis takes nothing just now: the next append or check reports it, and tidying can wait.
    }
  }

  async function appendPart(entries: readonly LogEntry[]): Promise<AppendOutcome[]> {
    const connection = await link.connection()
    const { epoch } = state.stand()
    const args = [retention.maxAgeMs, retention.maxMessages, ...entries.flatMap(argsOf)]
    const outcomes = await onLog(connection, appendScript, args)
    if (waitReplicas > 0) {
      const reached = await connection.command(['WAIT', `${waitReplicas}`, `${replicaDeadlineMs}`])
      if (Number(reached) < waitReplicas) throw new RedisError(`Only ${String(reached)} replicas have the messages.`)
    }
    // Stored in a log that was lost before its answer came: nobody has it any more.
    if (state.stand().epoch !== epoch) throw new RedisError('The log is another one by now.')
    expectToHear()
    return outcomes.map(outcomeOf)
  }

  function expectToHear(): void {
    if (deafTimer !== undefined) return
    const { epoch } = state.stand()
    const due = state.seen()
    deafTimer = setTimeout(() => {
      deafTimer = undefined
      const { epoch: current, head } = state.stand()
      if (current === epoch && head < due) reader.rebuild()
      if (head < state.seen()) expectToHear()
    }, maxUnheardMs).unref()
  }

  async function hearUpTo(head: number): Promise<void> {
    const { epoch } = state.stand()
    const giveUpAtMs = performance.now() + maxUnheardMs
    while (state.stand().epoch === epoch && state.stand().head < head) {
      if (performance.now() > giveUpAtMs) throw new RedisError('What is stored is not heard.')
      await sleep(lookEveryMs)
    }
  }

  async function catchUpWith({ epoch, seq }: Cursor): Promise<void> {
    const isThisLog = () => state.stand().epoch === epoch
    // An older log, or one that this node has yet to find: the question is refused until it has.
    if (!isThisLog()) await newest()
    if (!isThisLog()) return
    // Rejects while Redis is away: placed where this node stands, the page would be shown again what it had.
    if (state.seen() < seq) await askNewest()
    if (state.seen() >= seq) await hearUpTo(seq)
  }

  /** Who stops in order has nothing to bear witness of when Redis is started anew. */
  async function signOff(): Promise<void> {
    const removal = async () => {
      const connection = await link.connection()
      await connection.command(['ZREM', writersKey(state.stand().epoch), state.name])
    }
    try {
      await withDeadline(removal(), signOffMs, () => new RedisError('Redis has not answered in time.'))
    } catch {
      // It is waited for then, and at worst pages are told of a gap where nothing is missing.
    }
  }

  async function askNewest(): Promise<Cursor> {
    return askStand(await link.connection(), state, state.stand().epoch)
  }

  const newest = askTogether(askNewest)

  return {
    stand: () => state.stand(),

    async append(entries, settle) {
      const outcomes: AppendOutcome[] = []
      for (const part of partsOf(withIds(entries))) outcomes.push(...(await appendPart(part)))
      settle(outcomes)
    },

    catchUp(cursor) {
      const { epoch, head } = state.stand()
      return cursor.epoch === epoch && cursor.seq <= head ? null : catchUpWith(cursor)
    },

    newest,

    async readAfter(cursor, { maxMessages, maxCharacters }) {
      const connection = await link.connection()
      const { epoch, oldest, head } = state.stand()
      if (cursor.epoch !== epoch || cursor.seq < oldest - 1 || cursor.seq > head) return null
      if (cursor.seq === head) return []
      const range = [`${cursor.seq + 1}`, `${head}`, 'COUNT', `${maxMessages}`]
      const found = messagesOf(await connection.command(['XRANGE', streamKey(epoch), ...range]))
      // Trimmed meanwhile, or another log.
      if (state.stand().epoch !== epoch || found[0]?.seq !== cursor.seq + 1) return null
      let characters = 0
      const end = found.findIndex(({ seq, message }, index) => {
        const isBeyond = characters >= maxCharacters || seq !== cursor.seq + 1 + index
        characters += message.message.length
        return isBeyond
      })
      return end === -1 ? found : found.slice(0, end)
    },

    async check() {
      await hearUpTo(await tidyLog(await link.connection()))
    },

    async close() {
      clearTimeout(deafTimer)
      await reader.close()
      await signOff()
      link.close()
    },
  }
}
