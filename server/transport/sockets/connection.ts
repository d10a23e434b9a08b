import type { Socket } from 'socket.io'
import {
  type ClientToServerEvents,
  events,
  type ServerToClientEvents,
  type SpecifiedServerEvents,
} from '../../../contract/events.ts'
import { limitedNetworks, widestNetwork } from '../../limits/addresses.ts'
import type { ByteBudget } from '../../limits/byte-budget.ts'
import type { TakeSendToken } from '../../limits/send-rate.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import type { PresenceDelivery, PresenceWatcher } from '../../room/presence/watcher.ts'
import type { Delivery, Subscriber } from '../../room/deliver/subscriber.ts'
import type { Handshake } from './handshake.ts'
import { type Identity, identityOf } from './identity.ts'

export interface SocketData {
  connection: Connection
}

type SocketWith<Events extends SpecifiedServerEvents | ServerToClientEvents> = Socket<
  ClientToServerEvents,
  Events,
  Record<string, never>,
  SocketData
>
/** Socket typed for the specified events only, which every client understands. */
export type RoomSocket = SocketWith<SpecifiedServerEvents>

/**
 * State of one connection. It is one flat object: for ten thousand connections, closures and handshakes would take more
 * memory than the connections themselves.
 */
export interface Connection extends Subscriber, PresenceWatcher {
  readonly socket: RoomSocket
  readonly identity: Identity
  /** Whether the client receives messages: `false` if it requested the presence channel only. */
  readonly receivesMessages: boolean
  /** Whether the client receives presence: `false` if it requested the messages channel only. */
  readonly receivesPresence: boolean
  /** Widest network of the client; `null` for loopback, which has no limits. */
  readonly limitedNetwork: string | null
  /** Takes one message from the send rate; throws when the rate is exceeded. `null` before the first send. */
  takeSendToken: TakeSendToken | null
  /** Number of messages and moderator actions that are not yet acknowledged. A drain waits for them. */
  unacknowledged: number
  /** Time at which the room last got a message of the connection, by `performance.now()`; 0 if it got none. */
  sentAtMs: number
  /**
   * Whether a drain is closing the connection. The server then rejects messages and moderator actions, and closes the
   * connection when `unacknowledged` is 0.
   */
  isClosing: boolean
}

export function createConnection(
  socket: RoomSocket,
  { session, channel, cursor, wantsDeltas, wantsPositions, wantsRemovals }: Handshake,
  address: string,
): Connection {
  const networks = limitedNetworks(address)
  return {
    socket,
    identity: identityOf(session),
    address,
    receivesMessages: channel !== 'presence',
    receivesPresence: channel !== 'messages',
    wantsDeltas,
    wantsPositions,
    removals: wantsRemovals ? 0 : null,
    limitedNetwork: networks === null ? null : widestNetwork(networks),
    takeSendToken: null,
    unacknowledged: 0,
    sentAtMs: 0,
    isClosing: false,
    subscription: { state: 'unplaced', requested: cursor },
  }
}

/** Returns the socket typed for all events; `null` if the client did not request positions. */
export const extendedSocketOf = ({ socket, wantsPositions }: Connection) =>
  wantsPositions ? (socket as SocketWith<ServerToClientEvents>) : null

const engineSocketOf = ({ socket }: Connection): RoomSocket['conn'] => socket.conn

/** Creates the interface through which the room and presence write to connections. */
export function createDelivery(
  writer: GuardedWriter,
  listBudget: Pick<ByteBudget, 'take'>,
): Delivery<Connection> & PresenceDelivery<Connection> {
  return {
    confirmPosition: (connection, cursor, head) =>
      void extendedSocketOf(connection)?.emit(events.cursor, cursor, { head }),
    isBehind: ({ socket }) => writer.isBehind(socket.conn),
    writeLive: (connections, packets) => writer.writeLive(connections.map(engineSocketOf), packets),
    write: (connections, packets) => writer.write(connections.map(engineSocketOf), packets),
    writeAndDrain: ({ socket }, packets) => writer.writePage(socket.conn, packets),
    isOpen: ({ socket }) => socket.connected,
    writeList: (connections, packets) => writer.writeList(connections.map(engineSocketOf), packets),
    hasUnreadList: ({ socket }) => writer.hasUnreadList(socket.conn),
    takeListBudget: (connection, bytes) => listBudget.take(connection, bytes),
  }
}
