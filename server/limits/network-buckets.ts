import { type NetworkScope, type Networks, scopesWidestFirst } from './addresses.ts'
import { putNewest } from '../base/newest-entries.ts'
import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

/**
 * Limit of a network, as a multiple of the limit of one address. An office, a school or a neighbourhood rarely has four
 * addresses at their limits at once. The owner of a /48 has 65,536 networks /64, each of which counts as an address.
 */
export const networkMultiplier: Readonly<Record<NetworkScope, number>> = { address: 1, site: 2, network: 4 }

const sweepEveryMs = 60_000
/** Maximum number of buckets per scope. Above it, a new bucket evicts the least recently used ones. */
export const maxBuckets = 4_000

interface ScopeBuckets {
  scope: NetworkScope
  rate: Rate
  buckets: Map<string, TokenBucket>
}

/**
 * Creates rate limits of each address and of the networks around it. A request takes tokens from all of these limits or
 * from none. So the rejected requests of one address do not use up the limit of its network. The widest network is
 * checked first, so that an exhausted network creates no new buckets. Loopback (`null`) and a rate of 0 have no limit.
 */
export function createNetworkBuckets({ perSecond, burst }: Rate, multiplier = networkMultiplier) {
  const scopes = scopesWidestFirst.map((scope): ScopeBuckets => ({
    scope,
    rate: { perSecond: perSecond * multiplier[scope], burst: burst * multiplier[scope] },
    buckets: new Map(),
  }))
  let sweptAtMs = 0

  /** Deletes full buckets, which are equivalent to no bucket. */
  function sweep(nowMs: number): void {
    if (Math.abs(nowMs - sweptAtMs) < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const { rate, buckets } of scopes) {
      for (const [key, bucket] of buckets) {
        if (tokenWaitMs(bucket, rate, nowMs, rate.burst) === 0) buckets.delete(key)
      }
    }
  }

  function bucketOf({ rate, buckets }: ScopeBuckets, key: string, nowMs: number): TokenBucket {
    const bucket = buckets.get(key) ?? createTokenBucket(rate, nowMs)
    putNewest(buckets, key, bucket, maxBuckets)
    return bucket
  }

  /** Calls `visit` for the bucket of each scope, the widest first, until `visit` returns `false`. */
  function visitBuckets(networks: Networks, nowMs: number, visit: (bucket: TokenBucket, rate: Rate) => boolean): void {
    sweep(nowMs)
    for (const scope of scopes) {
      const key = networks[scope.scope]
      if (key !== null && !visit(bucketOf(scope, key, nowMs), scope.rate)) return
    }
  }

  /**
   * Returns 0 if all buckets have enough tokens, otherwise the time until the widest bucket that lacks tokens has
   * enough.
   */
  function waitMs(networks: Networks | null, nowMs: number, amount = 1): number {
    if (perSecond === 0 || networks === null) return 0
    let longestMs = 0
    visitBuckets(networks, nowMs, (bucket, rate) => {
      longestMs = tokenWaitMs(bucket, rate, nowMs, amount)
      return longestMs === 0
    })
    return longestMs
  }

  /** Takes tokens for work that is already done, even if the buckets are empty. */
  function spend(networks: Networks | null, nowMs: number, amount = 1): void {
    if (networks !== null) reserve(networks, nowMs, amount)
  }

  /** Takes tokens, even if the buckets are empty. Returns the time until no bucket is in debt. */
  function reserve(networks: Networks, nowMs: number, amount: number): number {
    let longestMs = 0
    if (perSecond === 0) return longestMs
    visitBuckets(networks, nowMs, (bucket, rate) => {
      tokenWaitMs(bucket, rate, nowMs)
      bucket.tokens -= amount
      longestMs = Math.max(longestMs, tokenWaitMs(bucket, rate, nowMs, 0))
      return true
    })
    return longestMs
  }

  return {
    /** Takes the tokens and returns 0 if all buckets have enough. Otherwise takes none and returns the time of `waitMs`. */
    take(networks: Networks | null, nowMs: number, amount = 1): number {
      const mustWaitMs = waitMs(networks, nowMs, amount)
      if (mustWaitMs === 0) spend(networks, nowMs, amount)
      return mustWaitMs
    },
    waitMs,
    spend,
    reserve,
    /**
     * Returns the narrowest of these networks that has less than one token, or `null`. This network is the cause of a
     * rejection.
     */
    findExhausted(networks: Networks, nowMs: number): string | null {
      if (perSecond === 0) return null
      for (const scope of scopes.toReversed()) {
        const key = networks[scope.scope]
        if (key !== null && tokenWaitMs(bucketOf(scope, key, nowMs), scope.rate, nowMs) > 0) return key
      }
      return null
    },
    size: () => scopes.reduce((sum, { buckets }) => sum + buckets.size, 0),
  }
}
