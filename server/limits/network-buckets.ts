import type { NetworkScope, Networks } from './addresses.ts'
import { putNewest } from '../base/newest-entries.ts'
import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

/**
 * How many times what one address may a network may, over all the addresses in it. Four: an office, a school or a
 * neighbourhood of one carrier never has four addresses at their limits at once, and whoever rents a /48 has 65,536.
 */
export const networkMultiplier: Readonly<Record<NetworkScope, number>> = { address: 1, site: 2, network: 4 }

const breadths: readonly NetworkScope[] = ['network', 'site', 'address']
const sweepEveryMs = 60_000
/** In each of these maps; beyond it the entry that was not used for longest is forgotten. */
export const maxBuckets = 4_000

interface Level {
  breadth: NetworkScope
  rate: Rate
  buckets: Map<string, TokenBucket>
}

/**
 * One rate for each address and, wider, for each network. Taken from all of them or from none: what an address is
 * refused must not use up its network's share. Widest first, so that a network that is used up makes no new entries.
 * `null` for networks, which is loopback, and a rate of 0 mean no limit.
 */
export function createNetworkBuckets({ perSecond, burst }: Rate) {
  const levels = breadths.map((breadth): Level => ({
    breadth,
    rate: { perSecond: perSecond * networkMultiplier[breadth], burst: burst * networkMultiplier[breadth] },
    buckets: new Map(),
  }))
  let sweptAtMs = 0

  /** A full bucket says no more than none. */
  function sweep(nowMs: number): void {
    if (Math.abs(nowMs - sweptAtMs) < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const { rate, buckets } of levels) {
      for (const [key, bucket] of buckets) {
        if (tokenWaitMs(bucket, rate, nowMs, rate.burst) === 0) buckets.delete(key)
      }
    }
  }

  function bucketOf({ rate, buckets }: Level, key: string, nowMs: number): TokenBucket {
    const bucket = buckets.get(key) ?? createTokenBucket(rate, nowMs)
    putNewest(buckets, key, bucket, maxBuckets)
    return bucket
  }

  /** The buckets of all levels, the widest first, as long as `visit` does not say to stop. */
  function visitBuckets(networks: Networks, nowMs: number, visit: (bucket: TokenBucket, rate: Rate) => boolean): void {
    sweep(nowMs)
    for (const level of levels) {
      const key = networks[level.breadth]
      if (key !== null && !visit(bucketOf(level, key, nowMs), level.rate)) return
    }
  }

  /** 0 when there is room everywhere, otherwise how many ms until there will be. */
  function waitMs(networks: Networks | null, nowMs: number, amount = 1): number {
    if (perSecond === 0 || networks === null) return 0
    let longestMs = 0
    visitBuckets(networks, nowMs, (bucket, rate) => {
      longestMs = tokenWaitMs(bucket, rate, nowMs, amount)
      return longestMs === 0
    })
    return longestMs
  }

  /** Uses up what was done already, whether there was room or not. */
  function spend(networks: Networks | null, nowMs: number, amount = 1): void {
    if (perSecond === 0 || networks === null) return
    visitBuckets(networks, nowMs, (bucket) => {
      bucket.tokens -= amount
      return true
    })
  }

  return {
    /** As `waitMs`, and where there is room it is used up. */
    take(networks: Networks | null, nowMs: number, amount = 1): number {
      const mustWaitMs = waitMs(networks, nowMs, amount)
      if (mustWaitMs === 0) spend(networks, nowMs, amount)
      return mustWaitMs
    },
    waitMs,
    spend,
    /** The narrowest of these networks that has no room left: the one that a refusal is due to. */
    findExhausted(networks: Networks, nowMs: number): string | null {
      if (perSecond === 0) return null
      for (const level of levels.toReversed()) {
        const key = networks[level.breadth]
        if (key !== null && tokenWaitMs(bucketOf(level, key, nowMs), level.rate, nowMs) > 0) return key
      }
      return null
    },
    size: () => levels.reduce((sum, { buckets }) => sum + buckets.size, 0),
  }
}
