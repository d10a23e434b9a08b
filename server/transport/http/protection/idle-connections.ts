import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ProtectionStep } from './protect-server.ts'

/** Share of the maximum number of connections above which the server shortens keep-alive. */
const shortenAbove = 1 / 2
/** Share of the maximum number of connections above which the server closes idle connections. */
const closeAbove = 7 / 8
/**
 * Share of the maximum that the server closes at once, so that it need not search for the oldest at each new
 * connection.
 */
const closedAtOnce = 1 / 32
const shortKeepAliveMs = 5_000

/**
 * Closes the HTTP connections that have been idle for longest while file descriptors are scarce. Otherwise a client that
 * opens very many connections would prevent new clients from connecting until its keep-alives end. Connections with an
 * unanswered request and upgraded connections are not closed.
 */
export function closeIdleWhenScarce(server: Server): ProtectionStep {
  const { maxConnections } = server
  if (!(maxConnections > 0)) return {}
  const { keepAliveTimeout } = server
  /** Idle connections in the order in which they became idle. */
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

  return {
    onConnection(socket) {
      open++
      if (open > maxConnections * closeAbove) closeOldest()
      server.keepAliveTimeout = open > maxConnections * shortenAbove ? shortKeepAliveMs : keepAliveTimeout
      if (!socket.destroyed) idle.add(socket)
      socket.once('close', () => {
        open--
        idle.delete(socket)
      })
    },
    onRequest({ socket }, response, next) {
      change(socket, 1)
      response.once('close', () => change(socket, -1))
      next()
    },
    onUpgrade({ socket }, _socket, _head, next) {
      // The connection never counts as idle again: another module reads from it now.
      change(socket, 1)
      next()
    },
  }
}
