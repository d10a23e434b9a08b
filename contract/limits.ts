/** Characters are Unicode code points, as JSON Schema counts them. */
export const maxMessageCharacters = 4_000
export const maxNameCharacters = 64
/** No account's name was ever longer. Whatever the limit is today: whoever has such a name logs in by it. */
export const maxStoredNameCharacters = 64
/** Maximum length of a name in UTF-16 units before it is cleaned, both as it was typed and after its first normalization. */
export const maxTypedNameUnits = maxStoredNameCharacters * 8
export const maxEmailCharacters = 254
export const maxPasswordBytes = 1_024
export const maxHttpBodyBytes = 16 * 1_024
export const maxFrameBytes = 64 * 1_024

/** The largest time value a JavaScript `Date` can hold. */
export const maxCreatedTimeMs = 8.64e15

/** The server pings this often and gives a peer this long to answer: a dead one is noticed within their sum. */
export const pingIntervalMs = 10_000
export const pingTimeoutMs = 8_000

export const tokenLifetimeMs = 30 * 24 * 3_600_000

export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
