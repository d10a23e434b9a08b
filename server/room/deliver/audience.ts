import type { Cursor } from '../../../contract/messages.ts'
import type { Report } from '../../observe/events.ts'
import { type MessageLog, canReplayFrom, type LogBounds, type StoredBatch } from '../message-log.ts'
import { createLiveFanOut, type Slicing } from './live-fan-out.ts'
import { type EncodedMessage, encodePayload } from './message-packets.ts'
import { findNewcomerPosition } from './newcomer-position.ts'
import { createPageTurns } from './page-turns.ts'
import { createRecentMessages } from './recent-messages.ts'
import { createPage, createReplayPages, type MessagePage } from './replay-pages.ts'
import type { RequestedPosition, Delivery, Subscriber } from './subscriber.ts'

/** A replay that fails is tried again after this time, then after twice as long, and so on up to the last. */
const firstRetryMs = 100
const lastRetryMs = 3_200

interface AudienceOptions {
  /** Older messages are not replayed. */
  maxAgeMs: number
  report: Report
  slicing: Slicing
}

/**
 * Everyone who listens. A flush goes to those who stand right before it; all others are in replay and get there by
 * reading the log, so there is neither a gap nor an overlap.
 */
export function createAudience<S extends Subscriber>(
  log: MessageLog,
  delivery: Delivery<S>,
  { maxAgeMs, report, slicing }: AudienceOptions,
) {
  const subscribers = new Set<S>()
  const recent = createRecentMessages(maxAgeMs)
  const pages = createReplayPages(log, recent)
  const turns = createPageTurns()
  // What was broadcast last. What is committed but not yet broadcast is still to come, for everybody.
  let { epoch, head: published } = log.bounds()
  let livePage: { messages: readonly EncodedMessage[]; page: MessagePage } | null = null
  const flushes = createLiveFanOut<S>({
    readers: () => subscribers,
    write: writeLive,
    onWritten: (fanOutMs) => report({ type: 'batch-fanned-out', fanOutMs }),
    slicing,
  })

  function onStored(batch: StoredBatch): void {
    const messages = batch.messages.map(({ seq, message }) => ({ seq, payload: encodePayload(message) }))
    const last = messages.at(-1)
    if (last === undefined) return
    recent.add(messages)
    published = last.seq
    flushes.add(messages)
  }

  /** To those who stand right before it. Who stands behind it already has it from replay, or came after it was stored. */
  function writeLive(chunk: readonly S[], messages: readonly EncodedMessage[]): void {
    const firstSeq = messages[0]?.seq ?? 0
    const lastSeq = messages.at(-1)?.seq ?? 0
    const [positioned, specified]: [S[], S[]] = [[], []]
    for (const subscriber of chunk) {
      if (!subscriber.live || subscriber.next > lastSeq) continue
      if (subscriber.next !== firstSeq || delivery.isBehind(subscriber)) {
        void replay(subscriber)
        continue
      }
      subscriber.next = lastSeq + 1
      if (subscriber.wantsPositions) positioned.push(subscriber)
      else specified.push(subscriber)
    }
    // One for all chunks of a flush: what is framed once is written to everybody.
    if (livePage?.messages !== messages) livePage = { messages, page: createPage(messages, epoch) }
    const { page } = livePage
    if (positioned.length > 0) delivery.writeLive(positioned, page.positioned)
    if (specified.length > 0) delivery.writeLive(specified, page.specified)
  }

  /**
   * Repositions all subscribers after a break of the log. In the same epoch, a subscriber continues if it can. In another
   * epoch, it is positioned at the head and notified of the gap.
   */
  function onLogBroken(stand: LogBounds): void {
    report({ type: stand.epoch === epoch ? 'log-gap' : 'log-epoch-changed', ...stand })
    epoch = stand.epoch
    published = stand.head
    recent.clear()
    pages.forget()
    flushes.forget()
    for (const subscriber of subscribers) place(subscriber, subscriber.asked ?? placeOf(subscriber) ?? 'malformed')
  }

  /** Where it stands in this log, if it was ever placed in it. */
  function placeOf({ epoch: placedIn, next }: S): Cursor | null {
    return placedIn === epoch ? { epoch, seq: next - 1 } : null
  }

  /** Only notes the wish while a page is on its way: there is never a second one. */
  function place(subscriber: S, asked: RequestedPosition): void {
    subscribers.add(subscriber)
    subscriber.asked = asked
    subscriber.live = false
    if (!subscriber.inReplay) void replay(subscriber)
  }

  /** One that comes from another node may have been told more than was heard here, or of a newer log: only a moment. */
  function catchUpWith(asked: RequestedPosition | null): Promise<void> | null {
    if (typeof asked !== 'object' || asked === null) return null
    return asked.epoch !== epoch || asked.seq > published ? log.catchUp(asked) : null
  }

  function settle(subscriber: S, asked: RequestedPosition): void {
    const heard = { epoch, oldest: log.bounds().oldest, head: published }
    subscriber.asked = null
    if (asked === 'head') stand(subscriber, published)
    else if (asked !== 'malformed' && canReplayFrom(asked, heard)) stand(subscriber, asked.seq)
    // It asked before it heard that the log is another one: it knows now, and goes on.
    else if (asked !== 'malformed' && asked.epoch !== epoch && subscriber.epoch === epoch)
      stand(subscriber, subscriber.next - 1)
    else leaveGap(subscriber)
  }

  /** A replay is never refused. What cannot be bridged is said, by a place at the head, rather than left a silent gap. */
  function leaveGap(subscriber: S): void {
    stand(subscriber, published)
  }

  function stand(subscriber: S, seq: number): void {
    subscriber.next = seq + 1
    subscriber.epoch = epoch
    delivery.confirmPosition(subscriber, { epoch, seq } satisfies Cursor)
  }

  /** Until the subscriber is live or gone. Runs without a pause where nothing has to be read. */
  async function replay(subscriber: S): Promise<void> {
    subscriber.live = false
    subscriber.inReplay = true
    let retryMs = firstRetryMs
    while (isHere(subscriber)) {
      try {
        const catchingUp = catchUpWith(subscriber.asked)
        if (catchingUp !== null) await catchingUp
        if (!isHere(subscriber)) break
        if (subscriber.asked !== null) settle(subscriber, subscriber.asked)
        if (subscriber.next > published) {
          subscriber.live = true
          break
        }
        await sendPage(subscriber)
        retryMs = firstRetryMs
      } catch (error) {
        report({ type: 'replay-failed', error })
        await sleep(retryMs)
        retryMs = Math.min(lastRetryMs, retryMs * 2)
      }
    }
    subscriber.inReplay = false
  }

  async function sendPage(subscriber: S): Promise<void> {
    await turns.take()
    const found = pages.pageAt({ epoch, seq: subscriber.next - 1 }, published, subscriber.address)
    const page: MessagePage | null = found instanceof Promise ? await found : found
    if (!isHere(subscriber) || subscriber.asked !== null) return
    // Trimmed under our feet, or a hole.
    if (page === null) return leaveGap(subscriber)
    subscriber.next += page.count
    await delivery.writeAndDrain(subscriber, subscriber.wantsPositions ? page.positioned : page.specified)
  }

  const isHere = (subscriber: S) => subscribers.has(subscriber) && delivery.isOpen(subscriber)

  log.subscribe({ onStored, onLogBroken })

  return {
    place,
    newcomerPosition: (isWaiting: () => boolean) => findNewcomerPosition(log, isWaiting),
    /** Resolves when all messages stored so far are written to the live subscribers. */
    fanOutDone: () => flushes.written(),
    leave(subscriber: S): void {
      // A flush in the middle of its slices may still come to it.
      subscriber.live = false
      subscribers.delete(subscriber)
    },
  }
}

export type Audience<S extends Subscriber> = ReturnType<typeof createAudience<S>>

const sleep = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs).unref())
