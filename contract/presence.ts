import { type Static, Type } from 'typebox'

/** Rides behind an `online-users` list. */
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
