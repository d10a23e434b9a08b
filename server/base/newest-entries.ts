/**
 * Share of `maxEntries` that one eviction deletes. Single evictions would be slow, because finding the first entry of a
 * map takes longer after each deletion.
 */
const evictedShare = 1 / 8

/**
 * Sets an entry as the newest of a map. Above `maxEntries`, evicts the oldest entries, so that clients cannot grow the map
 * without bound.
 */
export function putNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxEntries) return
  const keep = Math.floor(maxEntries * (1 - evictedShare))
  for (const oldest of map.keys()) {
    if (map.size <= keep) return
    map.delete(oldest)
  }
}
