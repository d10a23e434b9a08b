/** Number of hues that are easy to distinguish. The style sheet gives all of them the same lightness, for contrast. */
const hueCount = 24

/** Returns the hue of a name in degrees: an FNV-1a hash, so that a name has the same hue on every page. */
export function nameHue(username: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < username.length; index++) {
    hash = Math.imul(hash ^ username.charCodeAt(index), 0x01000193)
  }
  // Mix in higher bits: the lowest bits of an FNV hash are its weakest.
  return ((((hash >>> 8) ^ hash) >>> 0) % hueCount) * (360 / hueCount)
}
