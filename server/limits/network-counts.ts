import type { NetworkScope, Networks } from './addresses.ts'
import { networkMultiplier } from './network-buckets.ts'

const breadths: readonly NetworkScope[] = ['network', 'site', 'address']

/** How many of something each address holds, and each network; as many entries as there are holders. */
export function createNetworkCounts(maxPerAddress: number) {
  const counts: Record<NetworkScope, Map<string, number>> = { address: new Map(), site: new Map(), network: new Map() }

  function change(networks: Networks | null, by: 1 | -1): void {
    if (networks === null) return
    for (const breadth of breadths) {
      const key = networks[breadth]
      if (key === null) continue
      const total = (counts[breadth].get(key) ?? 0) + by
      if (total === 0) counts[breadth].delete(key)
      else counts[breadth].set(key, total)
    }
  }

  return {
    /** A maximum of 0 is none, and loopback (`null`) has none. */
    isFull(networks: Networks | null): boolean {
      if (networks === null || maxPerAddress === 0) return false
      return breadths.some((breadth) => {
        const key = networks[breadth]
        return key !== null && (counts[breadth].get(key) ?? 0) >= maxPerAddress * networkMultiplier[breadth]
      })
    },
    add: (networks: Networks | null) => change(networks, 1),
    remove: (networks: Networks | null) => change(networks, -1),
    size: () => counts.address.size,
  }
}
