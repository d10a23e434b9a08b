import type { Socket } from 'socket.io'
import {
  type ClientToServerEvents,
  events,
  type ServerToClientEvents,
  type SpecifiedServerEvents,
} from '../../../contract/events.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import type { PresenceDelivery, PresenceWatcher } from '../../room/presence/watcher.ts'
import { type Delivery, notPlaced, type Subscriber } from '../../room/deliver/subscriber.ts'
import type { Handshake } from './handshake.ts'

export interface SocketData {
  connection: Connection
}

type SocketTold<Events extends SpecifiedServerEvents | ServerToClientEvents> = Socket<
  ClientToServerEvents,
  Events,
  Record<string, never>,
  SocketData
>
/** A socket that can be told what the specification has, whoever is behind it, and nothing else. */
export type RoomSocket = SocketTold<SpecifiedServerEvents>

/**
 * All that the server keeps of one connection: one flat object, because ten thousand of them are held, and closures
 * and handshakes per connection cost more than the connection itself.
 */
export interface Connection extends Subscriber, PresenceWatcher {
  readonly socket: RoomSocket
  readonly accountName: string | null
  /** What it speaks by; `null` for the anonymous. */
  readonly tokenHash: string | null
  /** It gets messages: it did not say that it is for presence alone. */
  readonly receivesMessages: boolean
  /** It is told who is online: it did not say that it is for messages alone. */
  readonly receivesPresence: boolean
  /** Throws when this connection sends too fast; made when it first sends. */
  takeSendToken: ((messageBytes: number) => void) | null
  /** Sends that were accepted and not yet answered: a drain waits for them. */
  unacknowledged: number
  /** When it last sent something; 0 when it never did. Milliseconds since the process began. */
  sentAtMs: number
  /** Its turn has come in a drain: it is closed as soon as what it sent is answered, and sends no more. */
  isClosing: boolean
}

export function createConnection(
  socket: RoomSocket,
  { session, channel, cursor, wantsDeltas, wantsPositions }: Handshake,
  address: string,
): Connection {
  return {
    socket,
    accountName: session?.account.name ?? null,
    tokenHash: session?.tokenHash ?? null,
    address,
    receivesMessages: channel !== 'presence',
    receivesPresence: channel !== 'messages',
    wantsDeltas,
    wantsPositions,
    takeSendToken: null,
    unacknowledged: 0,
    sentAtMs: 0,
    isClosing: false,
    ...notPlaced,
    asked: cursor,
  }
}

/** The socket for what the contract has beyond the specification: only of one that asked for it. */
const positionedSocketOf = ({ socket, wantsPositions }: Connection) =>
  wantsPositions ? (socket as SocketTold<ServerToClientEvents>) : null

const engineSocketOf = ({ socket }: Connection): RoomSocket['conn'] => socket.conn

/** How the room and presence reach connections. */
export function createDelivery(writer: GuardedWriter): Delivery<Connection> & PresenceDelivery<Connection> {
  return {
    confirmPosition: (connection, cursor) => void positionedSocketOf(connection)?.emit(events.cursor, cursor),
    isBehind: ({ socket }) => writer.isBehind(socket.conn),
    writeLive: (connections, packets) => writer.writeLive(connections.map(engineSocketOf), packets),
    write: (connections, packets) => writer.write(connections.map(engineSocketOf), packets),
    writeAndDrain: ({ socket }, packets) => writer.writePage(socket.conn, packets),
    isOpen: ({ socket }) => socket.connected,
    writeList: (connections, packets) => writer.writeList(connections.map(engineSocketOf), packets),
    hasUnreadList: ({ socket }) => writer.hasUnreadList(socket.conn),
  }
}
