/** The literal values of the specification's section 9; odd spellings included. */
export const defaultIdentity = 'anonymous-not-loggedin'
export const initialAnonymousName = 'anonymous'
export const anonymousSuffix = ' (not loggedin)'
export const loginDataKey = 'userData'
export const smallScreenBreakpointPx = 960
export const onlinePanelMaxHeightRem = 16
export const defaultPort = 3001
export const loginSuccessStat = 'Success'
export const loginFailedStat = 'Failed'
