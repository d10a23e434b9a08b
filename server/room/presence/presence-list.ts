import type { PresenceDelta } from '../../../contract/presence.ts'

/**
 * Holds the ids of the online connections. The version counts published deltas, so a list can include changes that the
 * next delta repeats. If an id leaves and joins again between two deltas, as after a failure of its node, the
 * delta contains only its last change.
 */
export function createPresenceList() {
  const online = new Set<string>()
  let joined = new Set<string>()
  let left = new Set<string>()
  let version = 0

  return {
    join(id: string): void {
      online.add(id)
      joined.add(id)
      left.delete(id)
    },
    leave(id: string): void {
      online.delete(id)
      joined.delete(id)
      // Publish the leave even if the join was not published: a list sent in between may contain the id.
      left.add(id)
    },
    ids: () => [...online],
    version: () => version,
    size: () => online.size,
    hasChanges: () => joined.size > 0 || left.size > 0,
    /** Returns the changes since the last call as one delta to a new version. */
    takeDelta(): PresenceDelta {
      const delta = { from: version, version: ++version, joined: [...joined], left: [...left] }
      joined = new Set()
      left = new Set()
      return delta
    },
  }
}
