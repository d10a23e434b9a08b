import { type Static, Type } from 'typebox'

/** Stands behind an `online-users` list, for connections that asked for positions. */
export interface PresenceVersion {
  version: number
}

/** What changed from version `from` to `version`, for clients that asked for `deltas`. */
export interface PresenceDelta {
  from: number
  version: number
  joined: string[]
  left: string[]
}

/** What a connection is for; one that does not say gets the events of both. */
export const Channel = Type.Enum(['messages', 'presence'])
export type Channel = Static<typeof Channel>
