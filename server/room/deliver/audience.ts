import { unrefSleep } from '../../base/unref-sleep.ts'
import type { ByteBudget } from '../../limits/byte-budget.ts'
import type { Report } from '../../observe/events.ts'
import { canPlace, continuationOf, cursorAt } from '../lineage.ts'
import type { LogBounds, MessageLog, StoredBatch } from '../message-log.ts'
import type { Removal } from '../removals.ts'
import { createLiveFanOut } from './live-fan-out.ts'
import { type EncodedMessage, encodePayload } from './message-packets.ts'
import { findNewcomerPosition } from './newcomer-position.ts'
import { createPageTurns } from './page-turns.ts'
import { createRecentMessages } from './recent-messages.ts'
import { createRemovalDelivery, withRemovals } from './removal-delivery.ts'
import { createPage, createReplayPages, maxPageBytes, type MessagePage } from './replay-pages.ts'
import type { Slicing } from './slicing.ts'
import type { Delivery, Replaying, RequestedPosition, Subscriber } from './subscriber.ts'

/** Delay before the first retry of a failed replay. It doubles with each further failure in a row, up to `maxRetryMs`. */
const firstRetryMs = 100
const maxRetryMs = 3_200

interface AudienceOptions {
  /** Maximum age of a message that is replayed from memory. */
  maxAgeMs: number
  report: Report
  slicing: Slicing
  /** Budget of requested replays. */
  replayBudget: ByteBudget
}

/**
 * Delivers stored messages to all subscribers. A live subscriber receives a batch if it needs exactly the first message
 * of the batch next and is not behind. A subscriber that lacks earlier messages, or is behind, replays the log until it
 * is live, so there is neither a gap nor an overlap.
 */
export function createAudience<S extends Subscriber>(
  log: MessageLog,
  delivery: Delivery<S>,
  { maxAgeMs, report, slicing, replayBudget }: AudienceOptions,
) {
  /** Subscribers that are replaying or live. */
  const subscribers = new Set<S>()
  const recent = createRecentMessages(maxAgeMs)
  const pages = createReplayPages(log, recent)
  const turns = createPageTurns(replayBudget)
  // `published` is the newest message that the log has reported. The log may hold newer messages.
  let { epoch, head: published } = log.bounds()
  let lineage = log.lineage()
  let livePage: { messages: readonly EncodedMessage[]; page: MessagePage } | null = null
  const fanOut = createLiveFanOut<S>({
    subscribers: () => subscribers,
    write: writeLive,
    onBatchWritten: (fanOutMs) => report({ type: 'batch-fanned-out', fanOutMs }),
    slicing,
  })
  const removals = createRemovalDelivery<S>({ log, delivery, turns, subscribers: () => subscribers, slicing })

  function onStored(batch: StoredBatch): void {
    const messages = batch.messages.map(({ seq, message }) => ({ seq, payload: encodePayload(message) }))
    const last = messages.at(-1)
    if (last === undefined) return
    recent.add(messages)
    lineage = log.lineage()
    published = last.seq
    fanOut.add(messages)
  }

  /** Replaces the removed texts in all copies that may still be sent, then notifies the subscribers. */
  function onRemoved({ seqs }: Removal): void {
    const removed = new Set(seqs)
    recent.mask(removed)
    fanOut.mask(removed)
    pages.dropCached()
    livePage = null
    removals.fanOut()
  }

  /**
   * Writes a batch to the live subscribers of a chunk. Skips a live subscriber that received the batch by replay, or joined
   * after it was stored. Starts a replay for a subscriber that needs another message first, or is behind.
   */
  function writeLive(chunk: readonly S[], messages: readonly EncodedMessage[]): void {
    const firstSeq = messages[0]?.seq ?? 0
    const lastSeq = messages.at(-1)?.seq ?? 0
    const [positioned, specified]: [S[], S[]] = [[], []]
    for (const subscriber of chunk) {
      const { subscription } = subscriber
      if (subscription.state !== 'live' || subscription.nextSeq > lastSeq) continue
      if (subscription.nextSeq !== firstSeq || delivery.isBehind(subscriber)) {
        startReplay(subscriber, null)
        continue
      }
      subscription.nextSeq = lastSeq + 1
      if (subscriber.wantsPositions) positioned.push(subscriber)
      else specified.push(subscriber)
    }
    // All chunks of a batch share one page, so that its packets are encoded once.
    if (livePage?.messages !== messages) livePage = { messages, page: createPage(messages, lineage) }
    const { page } = livePage
    if (positioned.length > 0) delivery.writeLive(positioned, page.positioned)
    if (specified.length > 0) delivery.writeLive(specified, page.specified)
  }

  /**
   * Repositions all subscribers after a break of the log. Each continues after the last message that it shares with the
   * log. A client is notified of a gap if its position or its epoch changes.
   */
  function onLogBroken(bounds: LogBounds): void {
    report({ type: bounds.epoch === epoch ? 'log-gap' : 'log-epoch-changed', ...bounds })
    const positions = [...subscribers].map((subscriber) => [subscriber, positionOf(subscriber)] as const)
    epoch = bounds.epoch
    lineage = log.lineage()
    published = bounds.head
    recent.clear()
    pages.clear()
    fanOut.clear()
    for (const [subscriber, position] of positions) place(subscriber, position)
  }

  function positionOf(subscriber: S): RequestedPosition {
    const { subscription } = subscriber
    if (subscription.state === 'replaying' && subscription.requested !== null) return subscription.requested
    const isPlaced = subscription.state === 'replaying' || subscription.state === 'live'
    return isPlaced ? withRemovals(subscriber, cursorAt(lineage, subscription.nextSeq - 1)) : 'malformed'
  }

  const publishedLine = () => ({ lineage: log.lineage(), oldest: log.bounds().oldest, head: published })

  /** Moves a subscriber. During a replay, only records the request, so that a subscriber never has two pages in flight. */
  function place(subscriber: S, requested: RequestedPosition): void {
    const { subscription } = subscriber
    if (subscription.state === 'closed') return
    if (subscription.state === 'replaying') {
      subscription.requested = requested
      return
    }
    subscribers.add(subscriber)
    startReplay(subscriber, requested)
  }

  function startReplay(subscriber: S, requested: RequestedPosition | null): void {
    const { subscription } = subscriber
    const position = subscription.state === 'live' ? subscription : { epoch: null, nextSeq: 0 }
    const replaying: Replaying = { ...position, state: 'replaying', chargedUpTo: 0, requested }
    subscriber.subscription = replaying
    void replay(subscriber, replaying)
  }

  /** Waits until this node has read the term, messages and removals of the cursor; `null` if it already has. */
  function catchUpWith(requested: RequestedPosition | null): Promise<void> | null {
    if (typeof requested !== 'object' || requested === null) return null
    const hasRemovals = (requested.removals ?? 0) <= log.removals().count()
    return hasRemovals && canPlace(requested, publishedLine()) ? null : log.catchUp(requested)
  }

  function applyRequest(subscriber: S, replaying: Replaying, requested: RequestedPosition): void {
    replaying.requested = null
    // Within an epoch, the number of received removals stays exact: a connection receives all that is written to it.
    if (replaying.epoch !== epoch) removals.place(subscriber, requested, publishedLine())
    if (requested === 'head' || requested === 'malformed') setPosition(subscriber, replaying, published)
    // The client sent the request before it was notified of the new epoch. It keeps its position in the new epoch.
    else if (requested.epoch !== epoch && replaying.epoch === epoch)
      setPosition(subscriber, replaying, replaying.nextSeq - 1)
    else setPosition(subscriber, replaying, continuationOf(requested, publishedLine()))
  }

  /**
   * Notifies the client of a gap that the log cannot fill: the confirmed position is not the one that the client
   * expects. If retention removed the messages, the client continues at the oldest stored message. Otherwise the log has a gap,
   * and the client continues at the head.
   */
  function skipGap(subscriber: S, replaying: Replaying): void {
    const { oldest } = log.bounds()
    setPosition(subscriber, replaying, replaying.nextSeq < oldest ? Math.min(oldest - 1, published) : published)
  }

  function setPosition(subscriber: S, replaying: Replaying, seq: number): void {
    replaying.nextSeq = seq + 1
    replaying.chargedUpTo = published
    replaying.epoch = epoch
    delivery.confirmPosition(subscriber, withRemovals(subscriber, cursorAt(log.lineage(), seq)), published)
  }

  /** Replays until the subscriber is live or closed. Runs synchronously when there is nothing to await. */
  async function replay(subscriber: S, replaying: Replaying): Promise<void> {
    let retryMs = firstRetryMs
    while (isCurrent(subscriber, replaying)) {
      try {
        const catchingUp = catchUpWith(replaying.requested)
        if (catchingUp !== null) await catchingUp
        if (!isCurrent(subscriber, replaying)) break
        if (replaying.requested !== null) applyRequest(subscriber, replaying, replaying.requested)
        const sending = removals.sendMissed(subscriber)
        if (sending === null && replaying.nextSeq > published) {
          subscriber.subscription = { state: 'live', epoch, nextSeq: replaying.nextSeq }
          return
        }
        await (sending ?? sendPage(subscriber, replaying))
        retryMs = firstRetryMs
      } catch (error) {
        report({ type: 'replay-failed', error })
        await unrefSleep(retryMs)
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      }
    }
    leave(subscriber)
  }

  async function sendPage(subscriber: S, replaying: Replaying): Promise<void> {
    const isCharged = replaying.nextSeq <= replaying.chargedUpTo
    await turns.take(subscriber, isCharged)
    if (!isCurrent(subscriber, replaying) || replaying.requested !== null) return
    // A charged page that causes a read of the log costs a full page, even if the subscriber leaves or moves during the read.
    const onRead = () => void (isCharged && turns.charge(subscriber, maxPageBytes))
    const found = pages.pageAt({ epoch, seq: replaying.nextSeq - 1 }, published, subscriber.address, onRead)
    const page: MessagePage | null = found instanceof Promise ? await found : found
    if (!isCurrent(subscriber, replaying) || replaying.requested !== null) return
    // Retention removed the messages meanwhile, or the log has a gap.
    if (page === null) return skipGap(subscriber, replaying)
    replaying.nextSeq += page.count
    if (isCharged) turns.charge(subscriber, page.bytes)
    await delivery.writeAndDrain(subscriber, subscriber.wantsPositions ? page.positioned : page.specified)
  }

  const isCurrent = (subscriber: S, replaying: Replaying) =>
    subscriber.subscription === replaying && delivery.isOpen(subscriber)

  /** Removes a subscriber. A fan-out in progress checks the state before each write, and skips the subscriber. */
  function leave(subscriber: S): void {
    subscriber.subscription = { state: 'closed' }
    subscribers.delete(subscriber)
  }

  log.subscribe({ onStored, onRemoved, onLogBroken })

  return {
    /** Adds a connected subscriber at the position that it requested. */
    join(subscriber: S): void {
      if (subscriber.subscription.state === 'unplaced') place(subscriber, subscriber.subscription.requested)
    },
    place,
    newcomerPosition: (isWaiting: () => boolean) => findNewcomerPosition(log, isWaiting),
    /** Resolves when all messages that the log has reported are written to the live subscribers, or dropped for replay. */
    fanOutDone: () => fanOut.whenWritten(),
    subscriberCount: () => subscribers.size,
    leave,
  }
}

export type Audience<S extends Subscriber> = ReturnType<typeof createAudience<S>>
