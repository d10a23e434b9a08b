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

export const channels = ['messages', 'presence'] as const

/** What a connection is for; one that does not say gets the events of both. */
export const Channel = Type.Enum([...channels])
export type Channel = Static<typeof Channel>

/** A page opens two connections, so it counts twice in the list. */
export function shownOnlineCount(listLength: number): number {
  return Math.floor(listLength / 2)
}
