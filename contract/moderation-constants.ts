import type { RoomRules } from './moderation.ts'

// Constants that the storage threads import: without schemas they start faster.
export const noRules: RoomRules = { slowModeSeconds: 0, accountsOnly: false, linksOff: false, readOnly: false }

export const restrictionKinds = ['mute', 'ban'] as const
