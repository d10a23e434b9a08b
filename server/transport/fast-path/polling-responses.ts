import type { Socket as EngineSocket } from 'engine.io'
import type { Guard } from '../../base/error-guard.ts'
import type { Networks } from '../../limits/addresses.ts'
import { createInputTurns } from '../../limits/input-turns.ts'
import type { Report } from '../../observe/events.ts'
import { terminate } from './socket-writer.ts'

/**
 * Maximum number of packets in a polling response. python-engineio rejects a payload of more packets and ends the
 * connection. The clients in JavaScript, Java, Swift and Go accept any number; the C++ client does not poll.
 */
export const maxPacketsPerResponse = 16

/** Maximum number of packets without a callback, such as acks, that wait for the polls of a connection. */
export const maxUnreadReplies = 500

type SentCallback = (transport: unknown) => void

interface Packet {
  options?: { hasCallback?: boolean }
}

/**
 * Members of Engine.IO's socket. `library-internals.ts` checks that the undocumented ones are present: all except
 * `readyState` and `transport`.
 */
interface PollingSocket {
  readonly readyState: string
  readonly transport: { name: string; writable: boolean; send: (packets: Packet[]) => void }
  /** Packets that wait for the next poll, and the callbacks of some of them, in the same order. */
  readonly writeBuffer: Packet[]
  readonly packetsFn: SentCallback[]
  /** Callbacks of each response that is being written. */
  readonly sentCallbackFn: SentCallback[][]
  readonly pingTimeoutTimer: { refresh: () => unknown } | null
  flush: () => void
  sendPacket: (...args: SendPacketArgs) => void
}

type SendPacketArgs = [type: string, data?: unknown, options?: object, callback?: SentCallback]

interface PollingResponseDeps {
  networksOf: (connection: EngineSocket) => Networks | null
  guard: Guard
  report: Report
}

/**
 * Makes polling connections send at most `maxPacketsPerResponse` packets in one response. The other packets stay in
 * Engine.IO's write buffer, in order: the next poll takes them, or the WebSocket after an upgrade. The responses of a
 * network take turns, because a new message completes all pending polls at the same moment. Closes connections with
 * more than `maxUnreadReplies` unread packets without a callback.
 */
export function createPollingResponses({ networksOf, guard, report }: PollingResponseDeps) {
  const waiting = new WeakSet<PollingSocket>()
  const unreadReplies = new WeakMap<PollingSocket, number>()
  const turns = createInputTurns<PollingSocket>({
    // A response that waited is outside the guards of the callback that wrote it.
    handle: guard.wrap('polling response', respond, (socket) => terminate(engineSocketOf(socket))),
    onWait: (socket) => void waiting.add(socket),
    onWaited: (socket) => void waiting.delete(socket),
  })

  /** Overrides `flush` of Engine.IO's class. All connections share this function. */
  function flush(this: PollingSocket): void {
    const { transport, writeBuffer } = this
    if (transport.name !== 'polling') return classOf(this).flush.call(this)
    if (!transport.writable || writeBuffer.length === 0 || waiting.has(this)) return
    turns.take(networksOf(engineSocketOf(this)), this)
  }

  /**
   * Sends a packet and marks it if it has a callback, because Engine.IO stores the callbacks in a separate list. The
   * callbacks of messages count unread bytes. This function counts the packets without a callback.
   */
  function sendPacket(this: PollingSocket, ...[type, data, options, callback]: SendPacketArgs): void {
    const marked = callback === undefined ? options : { ...options, hasCallback: true }
    const unread = (unreadReplies.get(this) ?? 0) + 1
    if (callback === undefined && this.transport.name === 'polling') unreadReplies.set(this, unread)
    classOf(this).sendPacket.call(this, type, data, marked, callback)
    if ((unreadReplies.get(this) ?? 0) <= maxUnreadReplies) return
    unreadReplies.delete(this)
    terminate(engineSocketOf(this))
    report({ type: 'slow-consumer-closed', reason: 'unread' })
  }

  /** Responds to the pending poll, if it and the connection still exist. The transport may have been upgraded meanwhile. */
  function respond(socket: PollingSocket): void {
    const { transport, writeBuffer, packetsFn, sentCallbackFn } = socket
    if (transport.name !== 'polling' || writeBuffer.length <= maxPacketsPerResponse) {
      classOf(socket).flush.call(socket)
      if (socket.writeBuffer.length === 0) unreadReplies.delete(socket)
      return
    }
    if (!transport.writable || socket.readyState === 'closed') return
    const packets = writeBuffer.splice(0, maxPacketsPerResponse)
    const callbacks = packets.filter(({ options }) => options?.hasCallback === true).length
    unreadReplies.set(socket, (unreadReplies.get(socket) ?? 0) - (packets.length - callbacks))
    sentCallbackFn.push(packetsFn.splice(0, callbacks))
    transport.send(packets)
    // A ping may wait among the remaining packets. The client has just polled, so it is alive.
    socket.pingTimeoutTimer?.refresh()
    // Emit no 'drain', unlike Engine.IO's own `flush`: `close` waits for 'drain', and would then drop the remaining
    // packets.
  }

  return (connection: EngineSocket): void => {
    if (connection.transport.name === 'polling') Object.assign(connection, { sendPacket, flush })
  }
}

const classOf = (socket: PollingSocket) => Object.getPrototypeOf(socket) as PollingSocket
const engineSocketOf = (socket: PollingSocket) => socket as unknown as EngineSocket
