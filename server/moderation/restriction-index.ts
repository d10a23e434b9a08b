import type { RestrictionKind } from '../../contract/moderation.ts'
import { unknownAddress } from '../limits/addresses.ts'
import type { MessageSender } from '../room/message-log.ts'
import { isLoopbackNetwork, isRange, rangeCheck } from './networks.ts'
import type { StoredRestriction } from './moderation-store.ts'

/**
 * Maximum number of networks in the cache. With the cache, only the first message of a network is compared with every
 * range.
 */
const maxCachedNetworks = 10_000

type Activity = 'sending' | 'connecting' | 'registering' | 'deletingAccount'

/** Whether a restriction of each kind prevents an activity. */
const prevents: Readonly<Record<RestrictionKind, Readonly<Record<Activity, boolean>>>> = {
  mute: { sending: true, connecting: false, registering: false, deletingAccount: true },
  ban: { sending: true, connecting: true, registering: true, deletingAccount: true },
}

const none: readonly StoredRestriction[] = []

/**
 * Creates an index that finds the restrictions of a sender. If the network of the sender is in the cache, the cost of a
 * message does not depend on the restrictions of other senders.
 */
export function createRestrictionIndex(restrictions: readonly StoredRestriction[]) {
  const byAccount = Map.groupBy(
    restrictions.filter(({ accountId }) => accountId !== null),
    ({ accountId }) => accountId,
  )
  const byNetwork = new Map<string, StoredRestriction[]>()
  const ranges: { contains: (network: string) => boolean; restriction: StoredRestriction }[] = []
  for (const restriction of restrictions) {
    const { network, accountNetworks } = restriction
    for (const used of accountNetworks) addTo(used, restriction)
    if (network === null) continue
    if (isRange(network)) ranges.push({ contains: rangeCheck(network), restriction })
    else addTo(network, restriction)
  }
  const known = new Map<string, readonly StoredRestriction[]>()

  function addTo(network: string, restriction: StoredRestriction): void {
    const others = byNetwork.get(network)
    if (others === undefined) byNetwork.set(network, [restriction])
    else others.push(restriction)
  }

  function ofNetwork(network: string): readonly StoredRestriction[] {
    // An earlier version stored the unknown address as a network of an account.
    if (network === unknownAddress) return none
    const cached = known.get(network)
    if (cached !== undefined) return cached
    const inRanges = ranges.filter(({ contains }) => contains(network)).map(({ restriction }) => restriction)
    const all = [...(byNetwork.get(network) ?? none), ...inRanges]
    const found = isLoopbackNetwork(network) ? all.filter(({ includesLoopback }) => includesLoopback) : all
    if (known.size >= maxCachedNetworks) known.clear()
    known.set(network, found)
    return found
  }

  return {
    /** Whether any restriction prevents connections. */
    hasBans: restrictions.some(({ kind }) => prevents[kind].connecting),
    inEffect: (nowMs: number) => restrictions.filter((restriction) => endOf(restriction) > nowMs),

    /** Returns the restriction that prevents an activity of this sender for the longest time; `null` if there is none. */
    find({ accountId, network }: MessageSender, activity: Activity, nowMs: number): StoredRestriction | null {
      if (restrictions.length === 0) return null
      const candidates = accountId === null ? ofNetwork(network) : (byAccount.get(accountId) ?? none)
      let longest: StoredRestriction | null = null
      for (const restriction of candidates) {
        if (!prevents[restriction.kind][activity]) continue
        if (endOf(restriction) > Math.max(nowMs, longest === null ? nowMs : endOf(longest))) longest = restriction
      }
      return longest
    },

    /** Returns whether a restriction of any kind is in effect on the account. */
    isRestricted: (accountId: string, nowMs: number): boolean =>
      (byAccount.get(accountId) ?? none).some((restriction) => endOf(restriction) > nowMs),
  }
}

export type RestrictionIndex = ReturnType<typeof createRestrictionIndex>

function endOf({ endsAtMs }: StoredRestriction): number {
  return endsAtMs ?? Infinity
}
