import type { Socket } from 'socket.io'
import { events } from '../../contract/events.ts'
import { writeParcelAndDrain } from '../fanout/socket-writer.ts'
import type { SlowReaders } from '../fanout/slow-readers.ts'
import type { Subscriber } from '../room/subscriber.ts'

export function subscriberOf(socket: Socket, slowReaders: SlowReaders): Subscriber {
  const { conn } = socket
  return {
    confirm: (cursor) => socket.emit(events.cursor, cursor),
    write: (parcel) => slowReaders.writeLive(conn, parcel),
    writeAndDrain: (parcel) =>
      new Promise((resolve) => {
        writeParcelAndDrain(conn, parcel, resolve)
        slowReaders.watch(conn)
      }),
    isOpen: () => socket.connected,
  }
}
