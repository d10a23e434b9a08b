// Literal values of section 9 of the specification, including their spelling.
export const defaultIdentity = 'anonymous-not-loggedin'
export const initialAnonymousName = 'anonymous'
export const anonymousSuffix = ' (not loggedin)'
export const loginDataKey = 'userData'
export const smallScreenBreakpointPx = 960
export const onlinePanelMaxHeightRem = 16
export const defaultPort = 3001
export const loginSuccessStat = 'Success'
export const loginFailedStat = 'Failed'
/** Text that replaces a removed message. */
export const removedText = 'message removed'
