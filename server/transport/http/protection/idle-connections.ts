import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** From here on connections are given back soon, and from there on those that wait for nothing are closed. */
const shortenAbove = 1 / 2
const closeAbove = 7 / 8
/** Several at once, so that the oldest need not be looked for with every visitor. */
const closedAtOnce = 1 / 32
const shortKeepAliveMs = 5_000

/**
 * While descriptors are scarce, the HTTP connections that have been idle for longest are closed: else whoever opens very
 * many and says nothing more on them would keep every new visitor out for as long as they are kept alive. Connections with a
 * request under way, and those of the room, are let be.
 */
export function closeIdleWhenScarce(server: Server, maxConnections = server.maxConnections): void {
  if (!(maxConnections > 0)) return
  const { keepAliveTimeout } = server
  /** The longest idle first. */
  const idle = new Set<Socket>()
  const requestsUnderWay = new WeakMap<Socket, number>()
  let open = 0

  function change(socket: Socket, by: 1 | -1): void {
    const count = (requestsUnderWay.get(socket) ?? 0) + by
    requestsUnderWay.set(socket, count)
    if (count > 0) idle.delete(socket)
    else if (!socket.destroyed) idle.add(socket)
  }

  function closeOldest(): void {
    let left = Math.max(1, Math.floor(maxConnections * closedAtOnce))
    for (const socket of idle) {
      if (left-- === 0) return
      idle.delete(socket)
      socket.destroy()
    }
  }

  server.on('connection', (socket: Socket) => {
    open++
    if (open > maxConnections * closeAbove) closeOldest()
    server.keepAliveTimeout = open > maxConnections * shortenAbove ? shortKeepAliveMs : keepAliveTimeout
    if (!socket.destroyed) idle.add(socket)
    socket.once('close', () => {
      open--
      idle.delete(socket)
    })
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    change(socket, 1)
    response.once('close', () => change(socket, -1))
  })
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    // Never again: it belongs to whoever took it over.
    change(socket, 1)
  })
}
