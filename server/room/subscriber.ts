import type { Cursor } from '../../contract/messages.ts'
import type { Parcel } from '../fanout/parcel.ts'

/** A messaging connection as the room sees it. */
export interface Subscriber {
  confirm(cursor: Cursor): void
  /** Live messages: handed over, not waited for. */
  write(parcel: Parcel): void
  /** A page of replay: resolves once the client's transport has taken it. */
  writeAndDrain(parcel: Parcel): Promise<void>
  isOpen(): boolean
}
