import { io, type Socket } from 'socket.io-client'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { PresenceVersion } from '../../contract/presence.ts'
import { type PresenceInput, reducePresence, initialPresence } from '../../web/connection/presence/presence.ts'
import { connectionOptions } from './client.ts'

export type PresenceObserver = ReturnType<typeof createPresenceObserver>

/**
 * Creates a client that follows the list of online users, by deltas as the page does or by whole lists as a plain
 * client.
 */
export function createPresenceObserver(port: number, wantsDeltas: boolean) {
  let presence = initialPresence
  const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(`http://127.0.0.1:${port}`, {
    ...connectionOptions('websocket'),
    ...(wantsDeltas && { auth: { channel: 'presence', deltas: true } }),
  })
  const apply = (input: PresenceInput) => {
    const step = reducePresence(presence, input)
    presence = step.presence
    if (step.needsResync) socket.emit(events.onlineUsersResync)
  }

  socket.on('connect', () => apply({ kind: 'connected' }))
  socket.on(events.onlineUsers, (ids, version: PresenceVersion | undefined) => apply({ kind: 'list', ids, version }))
  socket.on(events.onlineUsersDelta, (delta) => apply({ kind: 'delta', delta }))
  socket.connect()

  return {
    name: wantsDeltas ? 'observer-deltas' : 'observer-lists',
    socketId: () => socket.id,
    /** Describes the ids that the list lacks and the ids that it has in excess. */
    differences(onlineIds: ReadonlySet<string>): string[] {
      const listed = new Set(presence.ids)
      const missing = [...onlineIds].filter((id) => !listed.has(id)).map((id) => `lacks ${id}`)
      return [...missing, ...[...listed].filter((id) => !onlineIds.has(id)).map((id) => `still sees ${id}`)]
    },
    close: () => void socket.disconnect(),
  }
}
