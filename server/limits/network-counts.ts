import { type NetworkScope, type Networks, scopesWidestFirst } from './addresses.ts'
import { networkMultiplier } from './network-buckets.ts'

/** Creates counters of the items that each address and network holds. An address that holds nothing has no entry. */
export function createNetworkCounts(maxPerAddress: number) {
  const counts: Record<NetworkScope, Map<string, number>> = { address: new Map(), site: new Map(), network: new Map() }

  function change(networks: Networks | null, by: 1 | -1): void {
    if (networks === null) return
    for (const scope of scopesWidestFirst) {
      const key = networks[scope]
      if (key === null) continue
      const total = (counts[scope].get(key) ?? 0) + by
      if (total === 0) counts[scope].delete(key)
      else counts[scope].set(key, total)
    }
  }

  return {
    /** Returns whether one of the networks is at its maximum. Loopback (`null`) and a maximum of 0 have no limit. */
    isFull(networks: Networks | null): boolean {
      if (networks === null || maxPerAddress === 0) return false
      return scopesWidestFirst.some((scope) => {
        const key = networks[scope]
        return key !== null && (counts[scope].get(key) ?? 0) >= maxPerAddress * networkMultiplier[scope]
      })
    },
    add: (networks: Networks | null) => change(networks, 1),
    remove: (networks: Networks | null) => change(networks, -1),
    size: () => counts.address.size,
  }
}
