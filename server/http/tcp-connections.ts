import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limitKey } from '../limits/addresses.ts'
import type { ClientAddress } from './client-address.ts'

/** A browser opens some for pages and calls beside those of the room; the rest of them only wait. */
const perRoomConnection = 2
const besides = 64

/**
 * How many TCP connections one address may hold, whatever it does with them: slow ones cost little, but not nothing.
 * A proxy that is named speaks for many, and is not counted.
 */
export function limitTcpConnections(
  server: Server,
  maxConnectionsPerIp: number,
  isProxy: ClientAddress['isProxy'],
): void {
  if (maxConnectionsPerIp === 0) return
  const max = maxConnectionsPerIp * perRoomConnection + besides
  const held = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const key = limitKey(address)
    if (key === null || isProxy(address)) return
    const before = held.get(key) ?? 0
    if (before >= max) {
      socket.destroy()
      return
    }
    held.set(key, before + 1)
    socket.once('close', () => {
      const left = (held.get(key) ?? 1) - 1
      if (left === 0) held.delete(key)
      else held.set(key, left)
    })
  })
}
