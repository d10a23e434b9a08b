/** Maximum length of a message. Character limits in this file count Unicode code points, as in JSON Schema. */
export const maxMessageCharacters = 4_000
export const maxNameCharacters = 64
/** Length of the longest name that any version could register. Accounts with such names must still be able to log in. */
export const maxStoredNameCharacters = 64
/** Maximum length of a name in UTF-16 units, as typed and again after the first normalization. */
export const maxTypedNameUnits = maxStoredNameCharacters * 8
export const maxEmailCharacters = 254
export const maxPasswordBytes = 1_024
/** Longest pause that slow mode can require between two messages of one sender. */
export const maxSlowModeSeconds = 3_600
export const maxHttpBodyBytes = 16 * 1_024
export const maxFrameBytes = 64 * 1_024

/** Largest time value of a JavaScript `Date`. */
export const maxCreatedTimeMs = 8.64e15

/** Ping interval. The server detects a dead connection within the sum of the ping interval and the ping timeout. */
export const pingIntervalMs = 10_000
export const pingTimeoutMs = 8_000

/** Lifetime of a token. The server stores the time of expiry with each token, so a change affects only new tokens. */
export const tokenLifetimeMs = 30 * 24 * 3_600_000

export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
