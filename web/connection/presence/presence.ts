import type { PresenceDelta, PresenceVersion } from '../../../contract/presence.ts'

/** Who is online, as far as the page knows. `resyncing` while a fresh list has been asked for. */
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
      // Another server may be at the other end, and its versions are its own.
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
  // An id is never used again, so one that joined and left between two versions is gone.
  const gone = new Set(left)
  const arrived = new Set(joined)
  const ids: string[] = []
  for (const id of presence.ids) {
    arrived.delete(id)
    if (!gone.has(id)) ids.push(id)
  }
  for (const id of arrived) if (!gone.has(id)) ids.push(id)
  return { presence: { ids, version, isResyncing: false }, needsResync: false }
}
