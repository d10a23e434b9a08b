import type { PresenceDelta } from '../../../contract/presence.ts'

/**
 * Who is online, with a version that counts changes as they are published, not as they happen: a list may run ahead
 * of its version, and a delta may repeat what a list has shown. An id that is given up for lost and turns up again,
 * with the node that it is on, stands in one half of a delta only: the last word counts.
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
      // Told even if the join was not: a list sent in between may have shown it.
      left.add(id)
    },
    ids: () => [...online],
    version: () => version,
    size: () => online.size,
    hasChanges: () => joined.size > 0 || left.size > 0,
    /** Everything since the last call as one step to a new version. */
    takeDelta(): PresenceDelta {
      const delta = { from: version, version: ++version, joined: [...joined], left: [...left] }
      joined = new Set()
      left = new Set()
      return delta
    },
  }
}
