import type { RoomRules } from './moderation.ts'

// Literal values of the specification, with their odd spellings, and values that the specification does not define. This
// file imports no schemas, so that the storage threads, which need some of the values, start fast.
export const defaultIdentity = 'anonymous-not-loggedin'
export const initialAnonymousName = 'anonymous'
export const anonymousSuffix = ' (not loggedin)'
export const loginDataKey = 'userData'
export const smallScreenBreakpointPx = 960
export const onlinePanelMaxHeightRem = 16
export const defaultPort = 3001
export const loginSuccessStat = 'Success'
/** `stat` of a failed login, which the specification does not define. */
export const loginFailedStat = 'Failed'
/** Text that replaces a removed message. */
export const removedText = 'message removed'

/** Rules of the room while no rule is in effect. */
export const noRules: RoomRules = { slowModeSeconds: 0, accountsOnly: false, linksOff: false, readOnly: false }

export const restrictionKinds = ['mute', 'ban'] as const
