/** So many hues are told apart at a glance; the style sheet gives each the same lightness, so all can be read. */
const hueCount = 24

/** The same name has the same hue on every page: FNV-1a over its characters. */
export function nameHue(username: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < username.length; index++) {
    hash = Math.imul(hash ^ username.charCodeAt(index), 0x01000193)
  }
  // The lowest bits of FNV are its weakest.
  return ((((hash >>> 8) ^ hash) >>> 0) % hueCount) * (360 / hueCount)
}
