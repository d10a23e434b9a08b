import type { PresenceDelta, PresenceVersion } from '../../../contract/presence.ts'

/** State of the online list in the page. `isResyncing` is true while the page waits for a requested full list. */
export interface Presence {
  readonly ids: readonly string[]
  readonly version: number | null
  readonly isResyncing: boolean
}

export type PresenceInput =
  | { kind: 'connected' }
  | { kind: 'list'; ids: readonly string[]; version: PresenceVersion | undefined }
  | { kind: 'delta'; delta: PresenceDelta }

export interface PresenceStep {
  readonly presence: Presence
  readonly needsResync: boolean
}

export const initialPresence: Presence = { ids: [], version: null, isResyncing: false }

export function reducePresence(presence: Presence, input: PresenceInput): PresenceStep {
  switch (input.kind) {
    case 'connected':
      // The new connection may be to another node, which has its own version numbers.
      return { presence: { ids: presence.ids, version: null, isResyncing: false }, needsResync: false }
    case 'list':
      return {
        presence: { ids: input.ids, version: input.version?.version ?? null, isResyncing: false },
        needsResync: false,
      }
    case 'delta':
      return applyDelta(presence, input.delta)
  }
}

function applyDelta(presence: Presence, { from, version, joined, left }: PresenceDelta): PresenceStep {
  if (presence.isResyncing) return { presence, needsResync: false }
  if (presence.version !== from) return { presence: { ...presence, isResyncing: true }, needsResync: true }
  // Ids are unique per connection, so an id that both joined and left in this delta is offline.
  const leftIds = new Set(left)
  const newIds = new Set(joined)
  const ids: string[] = []
  for (const id of presence.ids) {
    newIds.delete(id)
    if (!leftIds.has(id)) ids.push(id)
  }
  for (const id of newIds) if (!leftIds.has(id)) ids.push(id)
  return { presence: { ids, version, isResyncing: false }, needsResync: false }
}
