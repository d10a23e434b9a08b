import type { Cursor } from '../../../contract/messages.ts'
import type { EncodedPackets } from './encoded-packets.ts'

/** Position that a client requests: the head if it sends no cursor. The server reports a malformed cursor as a gap. */
export type RequestedPosition = Cursor | 'malformed' | 'head'

/** State of a connected subscriber that is not yet in the audience. It receives nothing. */
interface Unplaced {
  readonly state: 'unplaced'
  readonly requested: RequestedPosition
}

/** State of a subscriber that receives pages of the log until it has everything that was published. */
export interface Replaying {
  readonly state: 'replaying'
  /** Epoch of `nextSeq`; `null` before the first position is confirmed. */
  epoch: string | null
  nextSeq: number
  /** Newest message when the position was confirmed. Later messages would also arrive live, so they are not charged. */
  chargedUpTo: number
  /** Position to apply as soon as no page is in flight; `null` when there is no request. */
  requested: RequestedPosition | null
}

/** State of a subscriber that has caught up with the log. It receives each new batch. */
interface Live {
  readonly state: 'live'
  readonly epoch: string
  nextSeq: number
}

/** State of a subscriber that left the audience or lost its connection. It receives nothing more. */
interface Closed {
  readonly state: 'closed'
}

type Subscription = Unplaced | Replaying | Live | Closed

/** Messaging connection, with the properties that the room uses. */
export interface Subscriber {
  /**
   * Whether the subscriber receives the position of each message. Other subscribers get `recive_message` with one argument.
   */
  readonly wantsPositions: boolean
  /** Number of removals that the subscriber has received; `null` if it does not request them. */
  removals: number | null
  /** Address of the client. Reads of the log take turns between the networks of the addresses. */
  readonly address: string
  /** State of the subscription. Only the audience changes it after the subscriber has joined the audience. */
  subscription: Subscription
}

/** Functions that write to subscribers and return the state of their connections. */
export interface Delivery<S extends Subscriber> {
  /** Confirms the position. The messages after it are replayed, up to `head`, the newest published message. */
  confirmPosition(subscriber: S, cursor: Cursor, head: number): void
  /** Returns whether the subscriber has too many unread bytes for live messages. It then replays page by page. */
  isBehind(subscriber: S): boolean
  /** Writes live messages without waiting for the transport. */
  writeLive(subscribers: readonly S[], packets: EncodedPackets): void
  /** Writes a replay page. Resolves when the transport has sent it. */
  writeAndDrain(subscriber: S, packets: EncodedPackets): Promise<void>
  isOpen(subscriber: S): boolean
}
