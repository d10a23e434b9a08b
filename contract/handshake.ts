import { type Static, Type } from 'typebox'
import { Channel } from './presence.ts'

/**
 * `auth` object of the Socket.IO handshake. A client that sends no option except `token` receives exactly the specified
 * events.
 */
export const HandshakeAuth = Type.Object({
  channel: Type.Optional(Channel),
  token: Type.Optional(Type.String({ maxLength: 256 })),
  // The server validates the cursor separately: a malformed cursor causes a gap, not a rejection.
  cursor: Type.Optional(Type.Unknown()),
  deltas: Type.Optional(Type.Boolean()),
  /**
   * Whether the client requests removals, their number in cursors, the rules and the announcement of the room, and the
   * role of the account.
   */
  removals: Type.Optional(Type.Boolean()),
  /**
   * Whether the client requests the additional arguments `{ epoch, seq, term }` of messages and `{ version }` of lists,
   * and the events `cursor` and `restarting`. Every option except `token` implies `positions`, unless its value is
   * `false`. `deltas` implies `positions` with any value.
   */
  positions: Type.Optional(Type.Boolean()),
})
export type HandshakeAuth = Static<typeof HandshakeAuth>
