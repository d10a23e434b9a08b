import { moderationEvents } from '../../../contract/events.ts'
import type { Cursor } from '../../../contract/messages.ts'
import { isContinuous, type LogLine, newestTerm } from '../lineage.ts'
import type { MessageLog } from '../message-log.ts'
import { splitSeqs } from '../removals.ts'
import { encodePackets, type EncodedPackets, eventPacket } from './encoded-packets.ts'
import type { PageTurns } from './page-turns.ts'
import { chunksOf, createSlicedTask, type Slicing } from './slicing.ts'
import type { Delivery, RequestedPosition, Subscriber } from './subscriber.ts'

/** Maximum number of seqs in one `message-removed`. */
export const maxSeqsPerEvent = 200
/** Maximum number of removals in one page for a subscriber in replay. */
const maxSeqsPerPage = 5_000

interface RemovalDeliveryDeps<S extends Subscriber> {
  log: Pick<MessageLog, 'removals'>
  delivery: Pick<Delivery<S>, 'writeLive' | 'writeAndDrain' | 'isOpen'>
  turns: PageTurns
  subscribers: () => Iterable<S>
  slicing: Slicing
}

/**
 * Delivers removals to the subscribers that request them. Each subscriber has the number of removals that it has received,
 * so it gets every later removal once. A live subscriber receives a removal at once. A subscriber in replay receives it
 * before its next page.
 */
export function createRemovalDelivery<S extends Subscriber>(deps: RemovalDeliveryDeps<S>) {
  const { log, delivery, turns, subscribers, slicing } = deps
  /** Whether a removal has been stored since the last pass over the subscribers started. */
  let isDue = false
  const task = createSlicedTask(writeToAll, slicing)

  function* writeToAll(): Generator<void, void> {
    while (isDue) {
      isDue = false
      for (const chunk of chunksOf([...subscribers()], slicing)) {
        writeTo(chunk)
        yield
      }
    }
  }

  /**
   * Writes missing removals to the live subscribers of a chunk. Subscribers that have received equally many removals share
   * the packets.
   */
  function writeTo(chunk: readonly S[]): void {
    const count = log.removals().count()
    const groups = new Map<number, S[]>()
    for (const subscriber of chunk) {
      const { removals, subscription } = subscriber
      if (removals === null || removals >= count || subscription.state !== 'live') continue
      const group = groups.get(removals)
      if (group === undefined) groups.set(removals, [subscriber])
      else group.push(subscriber)
      subscriber.removals = count
    }
    for (const [known, group] of groups) {
      const seqs = log.removals().after(known)
      if (seqs.length > 0) delivery.writeLive(group, packetsOf(seqs, count))
    }
  }

  async function sendPage(subscriber: S, page: EncodedPackets): Promise<void> {
    await turns.take(subscriber, true)
    const bytes = page.packets.reduce((total, { length }) => total + length, 0)
    turns.charge(subscriber, bytes)
    if (delivery.isOpen(subscriber)) await delivery.writeAndDrain(subscriber, page)
  }

  return {
    /** Writes new removals to the live subscribers, in slices. */
    fanOut(): void {
      isDue = true
      task.start()
    },
    /** Sets how many removals a subscriber has received, from the position that it requests. */
    place(subscriber: S, requested: RequestedPosition, line: LogLine): void {
      if (subscriber.removals === null) return
      const history = log.removals()
      const known = requested === 'head' ? history.count() : knownRemovals(requested, line, history.count())
      // If no missed removal is kept, the subscriber continues with the next removal.
      subscriber.removals = history.after(known).length === 0 ? history.count() : known
    },
    /** Sends the next removals that a subscriber in replay has missed. Returns `null` if there are none. */
    sendMissed(subscriber: S): Promise<void> | null {
      const count = log.removals().count()
      if (subscriber.removals === null || subscriber.removals >= count) return null
      const missed = log.removals().after(subscriber.removals)
      const seqs = missed.slice(0, maxSeqsPerPage)
      subscriber.removals = count - (missed.length - seqs.length)
      if (seqs.length === 0) return null
      return sendPage(subscriber, packetsOf(seqs, subscriber.removals))
    },
  }
}

/** Returns the cursor, with the number of received removals if the subscriber requests removals. */
export const withRemovals = ({ removals }: Subscriber, cursor: Cursor): Cursor =>
  removals === null ? cursor : { ...cursor, removals }

/**
 * Returns the number of removals that the client has received; 0 if its cursor is malformed, is not in the newest term, is
 * ahead of the log, or names more removals than the log has. A log that was rolled back uses the same numbers again, so a
 * number of an earlier term proves nothing.
 */
function knownRemovals(requested: RequestedPosition, line: LogLine, count: number): number {
  const newest = newestTerm(line.lineage)
  if (typeof requested === 'string' || requested.epoch !== newest.epoch) return 0
  if ((requested.term ?? newest.id) !== newest.id || !isContinuous(requested, line)) return 0
  const { removals = 0 } = requested
  return removals <= count ? removals : 0
}

function packetsOf(seqs: readonly number[], count: number): EncodedPackets {
  return encodePackets(() => {
    let removals = count - seqs.length
    return [...splitSeqs(seqs, maxSeqsPerEvent)].map((some) => {
      removals += some.length
      return eventPacket(moderationEvents.messageRemoved, some, { removals })
    })
  })
}
