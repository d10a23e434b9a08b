import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { moderationEvents, type RemovalNotice } from '../../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../../contract/messages.ts'
import { createAudience } from './audience.ts'
import { type ByteBudget, createByteBudget } from '../../limits/byte-budget.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import { defaultSlicing, type Slicing } from './slicing.ts'
import { append, entry, keepAll } from '../log-fixture.suite.ts'
import { createLogSubscribers } from '../log-subscribers.ts'
import { type Lineage, startLineage } from '../lineage.ts'
import type { LogBounds, LogListener, MessageLog, Retention } from '../message-log.ts'
import { framesOf } from '../../transport/fast-path/frames.ts'
import { ignoreStoreCallbacks } from '../../storage/sqlite/store-callbacks.suite.ts'
import { openSqliteLog } from '../../storage/sqlite/log/sqlite-log.ts'
import type { Subscriber } from './subscriber.ts'

/**
 * Subscriber that records what it receives, in order: cursors without their term, messages by seq or text, and removals
 * as text.
 */
interface TestSubscriber extends Subscriber {
  received: (number | string | Cursor)[]
  isOpen: boolean
  isBehind: boolean
  drainResolvers: (() => void)[]
}

export const createSubscriber = (more: Partial<TestSubscriber> = {}): TestSubscriber => ({
  received: [],
  isOpen: true,
  isBehind: false,
  drainResolvers: [],
  wantsPositions: true,
  removals: null,
  address: '192.0.2.1',
  subscription: { state: 'unplaced', requested: 'head' },
  ...more,
})
export const isLive = ({ subscription }: TestSubscriber) => subscription.state === 'live'
export const nextSeqOf = ({ subscription }: TestSubscriber) =>
  subscription.state === 'live' || subscription.state === 'replaying' ? subscription.nextSeq : null
/** Returns the seq of a message, its text if the packet has no position, or a description of a removal. */
function seqOf(packet: string): number | string {
  if (packet.includes(moderationEvents.messageRemoved)) return removalOf(packet)
  const [, { message }, position] = JSON.parse(packet.slice(1)) as [string, ChatMessage, Cursor?]
  return position?.seq ?? message
}
/** Returns a text with the number of removals in the log and the removed seqs. */
function removalOf(packet: string): string {
  const [, seqs, { removals }] = JSON.parse(packet.slice(1)) as [string, number[], RemovalNotice]
  return `removals ${removals}: ${seqs.join()}`
}
export const seqs = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

interface OpenOptions {
  retention?: Retention
  manualDrain?: boolean
  text?: string
  slicing?: Slicing
  onPage?: (bytes: number) => void
  replayBudget?: ByteBudget
}

/** Opens an audience whose log already has `stored` messages, as after a restart: none of them is in memory. */
export async function openAudience(
  stored: number,
  {
    retention = keepAll,
    manualDrain = false,
    text = 'new',
    slicing = defaultSlicing,
    onPage,
    replayBudget = createByteBudget(0),
  }: OpenOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-audience-'))
  const log = await openSqliteLog(join(folder, 'log.sqlite'), retention, ignoreStoreCallbacks)
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const add = (texts: readonly string[]) =>
    append(
      log,
      texts.map((one) => entry(one)),
    )
  if (stored > 0) await add(Array.from({ length: stored }, () => text))
  const { report, of } = collectEvents()
  let reads = 0
  let [concurrentReads, mostConcurrentReads] = [0, 0]
  let readFails = false
  let gapSeq: number | null = null
  const catchUps: Cursor[] = []
  const subscribers = createLogSubscribers()
  log.subscribe(subscribers)
  let replacement: { bounds: LogBounds; lineage: Lineage } | null = null
  const faultyLog: MessageLog = {
    ...log,
    bounds: () => replacement?.bounds ?? log.bounds(),
    lineage: () => replacement?.lineage ?? log.lineage(),
    subscribe: subscribers.subscribe,
    catchUp(cursor) {
      catchUps.push(cursor)
      return log.catchUp(cursor)
    },
    async readAfter(cursor, page) {
      reads++
      if (readFails) throw new Error('disk')
      if (gapSeq !== null && cursor.seq + 1 === gapSeq) {
        // As in a real log, a read takes a turn of the event loop. Otherwise a subscriber that reads in a loop would
        // block the test.
        await setImmediate()
        return null
      }
      mostConcurrentReads = Math.max(mostConcurrentReads, ++concurrentReads)
      const messages = await log.readAfter(cursor, page).finally(() => concurrentReads--)
      return messages?.filter(({ seq }) => gapSeq === null || seq < gapSeq) ?? null
    },
  }
  const audience = createAudience<TestSubscriber>(
    faultyLog,
    {
      confirmPosition: (reader, { term: _term, ...cursor }) => reader.received.push(cursor),
      writeLive(readers, { packets }) {
        for (const { received } of readers) received.push(...packets.map(seqOf))
      },
      writeAndDrain: (reader, page) => {
        const { packets } = page
        onPage?.(framesOf(page).length)
        reader.received.push(...packets.map(seqOf))
        return manualDrain ? new Promise((resolve) => reader.drainResolvers.push(resolve)) : Promise.resolve()
      },
      isBehind: ({ isBehind }) => isBehind,
      isOpen: ({ isOpen }) => isOpen,
    },
    { maxAgeMs: retention.maxAgeMs, report, slicing, replayBudget },
  )
  return {
    audience,
    /** Simulates the events of the log. A break with another epoch replaces the log. */
    logEvents: {
      onStored: (batch) => subscribers.onStored(batch),
      onRemoved: (removal) => subscribers.onRemoved(removal),
      onLogBroken(bounds) {
        const { epoch, oldest } = bounds
        if (epoch !== log.bounds().epoch) replacement = { bounds, lineage: startLineage(oldest, epoch) }
        subscribers.onLogBroken(bounds)
      },
    } satisfies LogListener,
    lineage: log.lineage(),
    remove: (removed: readonly number[]) => log.remove(removed),
    failures: () => of('replay-failed').length,
    reads: () => reads,
    mostConcurrentReads: () => mostConcurrentReads,
    /** Positions that the audience passed to `catchUp` of the log. */
    catchUps,
    addGap: (seq: number | null) => (gapSeq = seq),
    failReads: (fail: boolean) => (readFails = fail),
    at: (seq: number): Cursor => ({ epoch: log.bounds().epoch, seq }),
    post: async (count: number): Promise<void> => {
      await add(Array.from({ length: count }, (_, index) => `${text} ${index}`))
    },
  }
}
