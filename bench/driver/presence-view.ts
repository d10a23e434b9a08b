import { events } from '../../contract/events.ts'
import type { PresenceDelta, PresenceVersion } from '../../contract/presence.ts'

const listPrefix = Buffer.from(`42["${events.onlineUsers}",`)
const deltaPrefix = Buffer.from(`42["${events.onlineUsersDelta}",`)

function startsWith(payload: Buffer, prefix: Buffer): boolean {
  return payload.length > prefix.length && payload.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
}

/** Online users as one connection has received them, updated as in Chat Room's page. */
export interface PresenceView {
  ids: Set<string>
  version: number
  /** True if other views can share `ids`. The reader then copies `ids` before a change. */
  isShared: boolean
}

export type PresenceChange = 'list' | 'delta' | 'gap' | 'other'

/**
 * Returns a function that applies a payload to a view and returns the kind of change. A delta that starts at another
 * version than the view has is a gap and changes nothing.
 */
export function createPresenceReader() {
  // Many connections receive the same list, so the reader does not parse a list that equals the last one.
  let lastPayload: Buffer = Buffer.alloc(0)
  let lastIds = new Set<string>()
  let lastVersion = 0

  return (view: PresenceView, payload: Buffer): PresenceChange => {
    if (startsWith(payload, listPrefix)) {
      if (!payload.equals(lastPayload)) {
        const [, ids, stamp] = JSON.parse(payload.toString('utf8', 2)) as [string, string[], PresenceVersion?]
        lastPayload = Buffer.from(payload)
        lastIds = new Set(ids)
        lastVersion = stamp?.version ?? 0
      }
      view.ids = lastIds
      view.isShared = true
      view.version = lastVersion
      return 'list'
    }
    if (startsWith(payload, deltaPrefix)) {
      const [, delta] = JSON.parse(payload.toString('utf8', 2)) as [string, PresenceDelta]
      if (delta.from !== view.version) return 'gap'
      if (view.isShared) view.ids = new Set(view.ids)
      view.isShared = false
      for (const id of delta.joined) view.ids.add(id)
      for (const id of delta.left) view.ids.delete(id)
      view.version = delta.version
      return 'delta'
    }
    return 'other'
  }
}
