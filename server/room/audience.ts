import type { Cursor } from '../../contract/messages.ts'
import { type MessageLog, reachesBackTo, type ReadPage, type StoredMessage } from './message-log.ts'
import { encodeMessages } from './encode-messages.ts'
import { createRecentMessages } from './recent-messages.ts'
import type { Delivery, Subscriber } from './subscriber.ts'

const replayPage: ReadPage = { maxMessages: 200, maxCharacters: 128 * 1_024 }

/**
 * Everyone who listens. A flush goes to those who stand right before it; all others are in replay and get there by
 * reading the log, so there is neither a gap nor an overlap.
 */
export function createAudience<S extends Subscriber>(
  log: MessageLog,
  delivery: Delivery<S>,
  onReplayFailed: (error: unknown) => void,
) {
  const subscribers = new Set<S>()
  const recent = createRecentMessages()
  // The newest seq that was broadcast. What is committed but not yet broadcast is still to come, for everybody.
  let published = log.range().head

  function publish(messages: readonly StoredMessage[]): void {
    const first = messages[0]
    const last = messages.at(-1)
    if (first === undefined || last === undefined) return
    const packets = encodeMessages(messages, log.epoch)
    recent.add({ first: first.seq, count: messages.length, frames: packets.frames })
    published = last.seq
    const ready: S[] = []
    for (const subscriber of subscribers) {
      if (!subscriber.live) continue
      if (subscriber.next === first.seq) {
        subscriber.next = last.seq + 1
        ready.push(subscriber)
      } else void replay(subscriber)
    }
    delivery.write(ready, packets)
  }

  /** `asked` is the cursor that the client named; `undefined` from a fresh one, which stands at the head. */
  function place(subscriber: S, asked: Cursor | 'malformed' | undefined): void {
    const range = { oldest: log.range().oldest, head: published }
    const seq = typeof asked === 'object' && reachesBackTo(asked, log.epoch, range) ? asked.seq : published
    subscribers.add(subscriber)
    subscriber.placement++
    subscriber.next = seq + 1
    subscriber.live = seq === published
    delivery.confirm(subscriber, { epoch: log.epoch, seq })
    if (!subscriber.live) void replay(subscriber)
  }

  async function replay(subscriber: S): Promise<void> {
    const { placement } = subscriber
    const isCurrent = () =>
      subscriber.placement === placement && subscribers.has(subscriber) && delivery.isOpen(subscriber)
    subscriber.live = false
    try {
      while (subscriber.next <= published) {
        const page = recent.from(subscriber.next, replayPage.maxMessages) ?? (await storedPage(subscriber.next))
        if (!isCurrent()) return
        if (page === null) {
          // Trimmed under our feet: say so rather than leave a silent gap.
          subscriber.next = published + 1
          delivery.confirm(subscriber, { epoch: log.epoch, seq: published })
          break
        }
        await delivery.writeAndDrain(subscriber, page.packets)
        if (!isCurrent()) return
        subscriber.next += page.count
      }
      subscriber.live = true
    } catch (error) {
      // Behind as it is, the next flush starts its replay again.
      if (isCurrent()) subscriber.live = true
      onReplayFailed(error)
    }
  }

  async function storedPage(seq: number) {
    const messages = await log.readAfter(seq - 1, replayPage)
    const page = messages?.filter((message) => message.seq <= published)
    return page === undefined ? null : { packets: encodeMessages(page, log.epoch), count: page.length }
  }

  return {
    publish,
    place,
    leave: (subscriber: S) => subscribers.delete(subscriber),
    size: () => subscribers.size,
  }
}

export type Audience<S extends Subscriber> = ReturnType<typeof createAudience<S>>
