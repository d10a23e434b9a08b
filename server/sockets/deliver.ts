import { events } from '../../contract/events.ts'
import type { GuardedWriter } from '../fanout/guarded-writer.ts'
import type { Delivery } from '../room/subscriber.ts'
import { type Connection, engineSocketOf } from './connection.ts'

export function createDelivery(guardedWriter: GuardedWriter): Delivery<Connection> {
  return {
    confirm: ({ socket }, cursor) => socket.emit(events.cursor, cursor),
    write: (connections, packets) => guardedWriter.writeMessages(connections.map(engineSocketOf), packets),
    writeAndDrain: ({ socket }, packets) => guardedWriter.writeReplay(socket.conn, packets),
    isOpen: ({ socket }) => socket.connected,
  }
}
