import type { Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

const raidPerSecond = { newcomer: 0.1, trusted: 0.5 } as const
/** Number of connections of one address that can send at their rate at the same time: a NAT address has many users. */
const connectionsPerAddress = 10

export type SenderKind = keyof typeof raidPerSecond

/** Bucket of one connection, and the raid for which it was created. */
export interface ConnectionBucket {
  raid: object | null
  bucket: TokenBucket
}

/**
 * Creates the limits of one raid. In a network that caused the raid, the connections of an address share one bucket. In
 * other networks, each connection has its own bucket, and the connections of an address also share a larger bucket.
 */
export function createRaidLimits(causes: ReadonlySet<string>) {
  const raid = {}
  const limits = { newcomer: createLimits(raidPerSecond.newcomer), trusted: createLimits(raidPerSecond.trusted) }

  return {
    /** Takes a token and returns 0. If there is none, returns the time until there is one. */
    take(kind: SenderKind, networks: Networks, network: string, own: ConnectionBucket, nowMs: number): number {
      const { rate, causing, others } = limits[kind]
      if (causes.has(network)) return causing.take(networks, nowMs)
      if (own.raid !== raid) Object.assign(own, { raid, bucket: createTokenBucket(rate, nowMs) })
      const waitMs = tokenWaitMs(own.bucket, rate, nowMs) || others.take(networks, nowMs)
      if (waitMs === 0) own.bucket.tokens--
      return waitMs
    },
  }
}

function createLimits(perSecond: number) {
  const rate: Rate = { perSecond, burst: 1 }
  return {
    rate,
    causing: createNetworkBuckets(rate),
    others: createNetworkBuckets({ perSecond: perSecond * connectionsPerAddress, burst: connectionsPerAddress }),
  }
}
