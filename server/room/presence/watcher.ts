import type { EncodedPackets } from '../deliver/encoded-packets.ts'

/** A connection as presence sees it. */
export interface PresenceWatcher {
  readonly wantsDeltas: boolean
  /** It is told the version of each list; others get `online-users` with one argument. */
  readonly wantsPositions: boolean
}

/** How presence reaches those who watch. */
export interface PresenceDelivery<W extends PresenceWatcher> {
  write(watchers: readonly W[], packets: EncodedPackets): void
  writeList(watchers: readonly W[], packets: EncodedPackets): void
  /** It has not yet taken the list that was written to it last. */
  hasUnreadList(watcher: W): boolean
}

/** One list in the two kinds; each is framed when somebody needs it. */
export interface ListPackets {
  readonly positioned: EncodedPackets
  readonly specified: EncodedPackets
  /** About what it takes of the network, for each who gets it. */
  readonly bytes: number
}
