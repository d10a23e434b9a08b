/** What is forgotten at once: a map's first entry is found slowly after many deletions, so it is looked for rarely. */
const forgottenPart = 1 / 8

/** Puts an entry last in a map that keeps only the newest: a table per address must not grow with the addresses. */
export function putNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxEntries) return
  const keep = Math.floor(maxEntries * (1 - forgottenPart))
  for (const oldest of map.keys()) {
    if (map.size <= keep) return
    map.delete(oldest)
  }
}
