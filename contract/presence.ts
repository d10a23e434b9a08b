import { type Static, Type } from 'typebox'

/** Second argument of `online-users`, for connections that request positions. */
export interface PresenceVersion {
  version: number
}

/** Difference between the versions `from` and `version`, for connections that request `deltas`. */
export interface PresenceDelta {
  from: number
  version: number
  joined: string[]
  left: string[]
}

/** Purpose of a connection. A connection without a channel receives the events of both. */
export const Channel = Type.Enum(['messages', 'presence'])
export type Channel = Static<typeof Channel>
