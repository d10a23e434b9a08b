// Literal values of the specification, including their spelling, and two values that it does not define: the `stat` of
// a failed login and the text of a removed message.
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
