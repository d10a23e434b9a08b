import type { EncodedPackets } from '../deliver/encoded-packets.ts'

/** Connection, with the properties that presence uses. */
export interface PresenceWatcher {
  readonly wantsDeltas: boolean
  /** Whether the watcher receives the version of each list. Other watchers get `online-users` with one argument. */
  readonly wantsPositions: boolean
}

/** Functions that write to presence watchers and limit what each receives. */
export interface PresenceDelivery<W extends PresenceWatcher> {
  write(watchers: readonly W[], packets: EncodedPackets): void
  writeList(watchers: readonly W[], packets: EncodedPackets): void
  /** Returns whether a part of the last list is not sent yet. */
  hasUnreadList(watcher: W): boolean
  /** Charges a list to the budget of the watcher. Returns `false` if the list has to wait. */
  takeListBudget(watcher: W, bytes: number): boolean
}

/** List in both packet formats. Each format is encoded when it is first needed. */
export interface ListPackets {
  readonly positioned: EncodedPackets
  readonly specified: EncodedPackets
  /** Approximate size for one watcher. */
  readonly bytes: number
}
