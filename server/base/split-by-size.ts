/**
 * Splits items into groups with a limited total size and a limited number of items. An item above the size limit gets
 * its own group.
 */
export function splitBySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  { maxSize, maxItems }: { maxSize: number; maxItems: number },
): Item[][] {
  const groups: Item[][] = []
  let size = 0
  for (const item of items) {
    const group = groups.at(-1)
    size += sizeOf(item)
    if (group !== undefined && group.length < maxItems && size <= maxSize) {
      group.push(item)
    } else {
      groups.push([item])
      size = sizeOf(item)
    }
  }
  return groups
}
