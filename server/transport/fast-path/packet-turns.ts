import type { Transport } from 'engine.io'
import type { WebSocket } from 'ws'
import type { Networks } from '../../limits/addresses.ts'
import { createInputTurns } from '../../limits/input-turns.ts'

/**
 * WebSocket transport of Engine.IO, which calls the undocumented `onPacket` with each packet. `library-internals.ts`
 * checks that `onPacket` is present.
 */
interface WebSocketTransport {
  readonly socket: WebSocket
  onPacket: (packet: unknown) => void
}

interface Input {
  transport: WebSocketTransport
  packet: unknown
}

/**
 * Lets the packets of WebSockets take turns by network. While a packet waits, the server does not read from its
 * connection, so that a client cannot fill memory. Polling requests take turns as HTTP requests do.
 */
export function createPacketTurns(
  networksOf: (webSocket: WebSocket) => Networks | null,
  beforePacket: (webSocket: WebSocket) => void,
) {
  const waitingPackets = new Map<WebSocket, number>()
  const turns = createInputTurns<Input>({
    handle({ transport, packet }) {
      beforePacket(transport.socket)
      ;(Object.getPrototypeOf(transport) as WebSocketTransport).onPacket.call(transport, packet)
    },
    onWait({ transport: { socket } }) {
      waitingPackets.set(socket, (waitingPackets.get(socket) ?? 0) + 1)
      socket.pause()
    },
    onWaited({ transport: { socket } }) {
      const left = (waitingPackets.get(socket) ?? 1) - 1
      if (left > 0) return void waitingPackets.set(socket, left)
      waitingPackets.delete(socket)
      socket.resume()
    },
  })

  /**
   * Handles a packet and overrides `onPacket` of the transport's class. All transports share this function. Engine.IO
   * calls it with the transport as `this`.
   */
  function onPacketInTurn(this: WebSocketTransport, packet: unknown): void {
    turns.take(networksOf(this.socket), { transport: this, packet })
  }

  return (transport: Transport): void => {
    if (transport.name === 'websocket') Object.assign(transport, { onPacket: onPacketInTurn })
  }
}
