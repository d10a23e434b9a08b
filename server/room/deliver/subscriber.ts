import type { Cursor } from '../../../contract/messages.ts'
import type { EncodedPackets } from './encoded-packets.ts'

/** Where a client says it stands: a place, something that can be no place, or nothing, which is the head. */
export type RequestedPosition = Cursor | 'malformed' | 'head'

/** A messaging connection as the room sees it: where it stands in the log. What changes, the audience alone sets. */
export interface Subscriber {
  /** It is told where each message stands; others get `recive_message` with one argument. */
  readonly wantsPositions: boolean
  /** Addresses take turns when the log is read for them. */
  readonly address: string
  /** The seq it needs next, in the log of this epoch; in none before it was placed. */
  next: number
  epoch: string | null
  /** It stands right behind what was broadcast last, and gets what is broadcast next. */
  live: boolean
  /** It is being brought up to date: a page is read for it, is on its way, or is tried again in a moment. */
  inReplay: boolean
  /** Where it asked to stand; it is placed there when nothing is on its way to it. */
  asked: RequestedPosition | null
}

/** What a subscriber begins with: it gets nothing before the audience has placed it. */
export const notPlaced: Readonly<Pick<Subscriber, 'next' | 'epoch' | 'live' | 'inReplay' | 'asked'>> = {
  next: 0,
  epoch: null,
  live: false,
  inReplay: false,
  asked: null,
}

/** How the audience reaches its subscribers. */
export interface Delivery<S extends Subscriber> {
  confirmPosition(subscriber: S, cursor: Cursor): void
  /** It has so much unread that live messages are no longer written to it: it follows page by page, as it reads. */
  isBehind(subscriber: S): boolean
  /** Live messages, to those who are not behind: handed over, not waited for. */
  writeLive(subscribers: readonly S[], packets: EncodedPackets): void
  /** A page of replay: resolves once the client's transport has taken it. */
  writeAndDrain(subscriber: S, packets: EncodedPackets): Promise<void>
  isOpen(subscriber: S): boolean
}
