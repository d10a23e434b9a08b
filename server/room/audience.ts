import type { Cursor } from '../../contract/messages.ts'
import { type MessageLog, reachesBackTo, type ReadPage, type StoredMessage } from './message-log.ts'
import { messageParcel } from './message-parcel.ts'
import { createRecentMessages } from './recent-messages.ts'
import type { Subscriber } from './subscriber.ts'

const replayPage: ReadPage = { maxMessages: 200, maxCharacters: 128 * 1_024 }

/** Where a subscriber stands; replaced when it asks to stand elsewhere, which ends a replay from the old place. */
interface Place {
  next: number
  live: boolean
}

/**
 * Everyone who listens, each with the seq it needs next. A flush goes to those who stand right before it; all others
 * are in replay and get there by reading the log, so there is neither a gap nor an overlap.
 */
export function createAudience(log: MessageLog, onReplayFailed: (error: unknown) => void) {
  const places = new Map<Subscriber, Place>()
  const recent = createRecentMessages()
  // The newest seq that was broadcast. What is committed but not yet broadcast is still to come, for everybody.
  let published = log.range().head

  function publish(messages: readonly StoredMessage[]): void {
    const first = messages[0]
    const last = messages.at(-1)
    if (first === undefined || last === undefined) return
    recent.add(messages)
    const parcel = messageParcel(messages, log.epoch)
    published = last.seq
    for (const [subscriber, place] of places) {
      if (!place.live) continue
      if (place.next === first.seq) {
        subscriber.write(parcel)
        place.next = last.seq + 1
      } else void replay(subscriber, place)
    }
  }

  /** `asked` is the cursor that the client named; `undefined` from a fresh one, which stands at the head. */
  function place(subscriber: Subscriber, asked: Cursor | 'malformed' | undefined): void {
    const range = { oldest: log.range().oldest, head: published }
    const bridged = typeof asked === 'object' && reachesBackTo(asked, log.epoch, range)
    const seq = bridged ? asked.seq : published
    const place: Place = { next: seq + 1, live: true }
    places.set(subscriber, place)
    subscriber.confirm({ epoch: log.epoch, seq })
    if (place.next <= published) void replay(subscriber, place)
  }

  async function replay(subscriber: Subscriber, place: Place): Promise<void> {
    const isCurrent = () => places.get(subscriber) === place && subscriber.isOpen()
    place.live = false
    try {
      while (place.next <= published) {
        const messages =
          recent.from(place.next, replayPage.maxMessages) ?? (await log.readAfter(place.next - 1, replayPage))
        if (!isCurrent()) return
        if (messages === null) {
          // Trimmed under our feet: say so rather than leave a silent gap.
          place.next = published + 1
          subscriber.confirm({ epoch: log.epoch, seq: published })
          break
        }
        const page = messages.filter(({ seq }) => seq <= published)
        await subscriber.writeAndDrain(messageParcel(page, log.epoch))
        if (!isCurrent()) return
        place.next += page.length
      }
      place.live = true
    } catch (error) {
      onReplayFailed(error)
    }
  }

  return {
    publish,
    place,
    leave: (subscriber: Subscriber) => places.delete(subscriber),
    published: () => published,
    size: () => places.size,
  }
}

export type Audience = ReturnType<typeof createAudience>
