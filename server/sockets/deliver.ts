import { events } from '../../contract/events.ts'
import type { SlowReaders } from '../fanout/slow-readers.ts'
import type { Delivery } from '../room/subscriber.ts'
import { type Connection, engineSocketOf } from './connection.ts'

export function createDelivery(slowReaders: SlowReaders): Delivery<Connection> {
  return {
    confirm: ({ socket }, cursor) => socket.emit(events.cursor, cursor),
    write: (connections, parcel) => slowReaders.writeLive(connections.map(engineSocketOf), parcel),
    writeAndDrain: ({ socket }, parcel) => slowReaders.writeReplay(socket.conn, parcel),
    isOpen: ({ socket }) => socket.connected,
  }
}
