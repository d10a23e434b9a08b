import { io, type Socket } from 'socket.io-client'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { PresenceVersion } from '../../contract/presence.ts'
import { type PresenceInput, reducePresence, initialPresence } from '../../web/connection/presence/presence.ts'
import { connectionOptions } from './client.ts'

export type PresenceObserver = ReturnType<typeof createPresenceObserver>

/** Looks at who is online: by deltas as our page does, or by whole lists as any plain client. */
export function createPresenceObserver(port: number, wantsDeltas: boolean) {
  let presence = initialPresence
  const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(`http://127.0.0.1:${port}`, {
    ...connectionOptions('websocket'),
    ...(wantsDeltas && { auth: { channel: 'presence', deltas: true } }),
  })
  const take = (input: PresenceInput) => {
    const step = reducePresence(presence, input)
    presence = step.presence
    if (step.needsResync) socket.emit(events.onlineUsersResync)
  }

  socket.on('connect', () => take({ kind: 'connected' }))
  socket.on(events.onlineUsers, (ids, version: PresenceVersion | undefined) => take({ kind: 'list', ids, version }))
  socket.on(events.onlineUsersDelta, (delta) => take({ kind: 'delta', delta }))
  socket.connect()

  return {
    name: wantsDeltas ? 'watcher-deltas' : 'watcher-lists',
    socketId: () => socket.id,
    /** Who it misses, and whom it sees though they are gone; nothing when it sees the truth. */
    differs(truth: ReadonlySet<string>): string[] {
      const seen = new Set(presence.ids)
      const missing = [...truth].filter((id) => !seen.has(id)).map((id) => `misses ${id}`)
      return [...missing, ...[...seen].filter((id) => !truth.has(id)).map((id) => `still sees ${id}`)]
    },
    close: () => void socket.disconnect(),
  }
}
