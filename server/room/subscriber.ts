import type { Cursor } from '../../contract/messages.ts'
import type { EncodedPackets } from '../fanout/encoded-packets.ts'

/** A messaging connection as the room sees it: where it stands in the log. Set and read by the audience alone. */
export interface Subscriber {
  /** The seq it needs next. */
  next: number
  /** It stands right behind what was broadcast last; otherwise it is in replay. */
  live: boolean
  /** Counts the times it was placement: a replay from an older place gives up. */
  placement: number
}

/** How the audience reaches its subscribers. */
export interface Delivery<S extends Subscriber> {
  confirm(subscriber: S, cursor: Cursor): void
  /** Live messages: handed over, not waited for. */
  write(subscribers: readonly S[], packets: EncodedPackets): void
  /** A page of replay: resolves once the client's transport has taken it. */
  writeAndDrain(subscriber: S, packets: EncodedPackets): Promise<void>
  isOpen(subscriber: S): boolean
}
