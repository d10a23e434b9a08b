import { type Static, Type } from 'typebox'
import { Channel } from './presence.ts'

/** The handshake's `auth`. All of it is optional: a plain client sends nothing, and is told what the specification says. */
export const HandshakeAuth = Type.Object({
  channel: Type.Optional(Channel),
  token: Type.Optional(Type.String({ maxLength: 256 })),
  // Checked apart: a malformed cursor is a gap, not a refusal.
  cursor: Type.Optional(Type.Unknown()),
  deltas: Type.Optional(Type.Boolean()),
  /** Asks for `{ epoch, seq }` behind messages and `{ version }` behind lists; the three above but `token` imply it. */
  positions: Type.Optional(Type.Boolean()),
})
export type HandshakeAuth = Static<typeof HandshakeAuth>
