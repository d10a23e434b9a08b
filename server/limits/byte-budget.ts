import { monotonicMs } from '../base/monotonic-ms.ts'
import { limitedNetworks, type Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

const kib = 1_024
/**
 * Byte rate of one connection. An ordinary room sends messages at a lower rate. The burst is enough for the whole log
 * of a normal day.
 */
export const connectionBytes: Rate = { perSecond: 2_048 * kib, burst: 8_192 * kib }
/**
 * Share of each allowed connection in the byte budget of an address. The burst covers the replay of a few hundred
 * messages to all connections of the address after a short outage.
 */
const bytesPerConnection: Rate = { perSecond: 16 * kib, burst: 64 * kib }

/** Connection that receives bytes. */
interface ByteOwner {
  readonly address: string
}

interface OwnerState {
  networks: Networks | null
  bucket: TokenBucket
}

/** Returns the rate of an address; never less than that of one connection. 0 means no limit. */
export function addressBytes(maxConnectionsPerIp: number): Rate {
  if (maxConnectionsPerIp === 0) return { perSecond: 0, burst: 0 }
  return {
    perSecond: Math.max(connectionBytes.perSecond, bytesPerConnection.perSecond * maxConnectionsPerIp),
    burst: Math.max(connectionBytes.burst, bytesPerConnection.burst * maxConnectionsPerIp),
  }
}

/**
 * Creates the budget for the bytes of replays and lists, which clients can request at almost no cost. The budget counts
 * per connection, address and network. Bytes beyond the budget are sent later. Loopback and a `maxConnectionsPerIp` of
 * 0 have no limit.
 */
export function createByteBudget(maxConnectionsPerIp: number, now: () => number = monotonicMs) {
  const buckets = createNetworkBuckets(addressBytes(maxConnectionsPerIp))
  const states = new WeakMap<ByteOwner, OwnerState>()

  function stateOf(owner: ByteOwner, nowMs: number): OwnerState {
    let state = states.get(owner)
    if (state === undefined) {
      state = { networks: limitedNetworks(owner.address), bucket: createTokenBucket(connectionBytes, nowMs) }
      states.set(owner, state)
    }
    return state
  }

  return {
    /**
     * Takes bytes, even if the budget is used up. Returns the time to wait before they may be sent. Beyond the budget,
     * each call reserves a later time.
     */
    reserve(owner: ByteOwner, bytes: number): number {
      const nowMs = now()
      const { networks, bucket } = stateOf(owner, nowMs)
      if (networks === null || maxConnectionsPerIp === 0) return 0
      tokenWaitMs(bucket, connectionBytes, nowMs)
      bucket.tokens -= bytes
      const ownWaitMs = tokenWaitMs(bucket, connectionBytes, nowMs, 0)
      return Math.max(ownWaitMs, buckets.reserve(networks, nowMs, bytes))
    },
    /** Takes bytes and returns `true`. If the budget is used up, takes no bytes and returns `false`. */
    take(owner: ByteOwner, bytes: number): boolean {
      const nowMs = now()
      const { networks, bucket } = stateOf(owner, nowMs)
      if (networks === null || maxConnectionsPerIp === 0) return true
      if (tokenWaitMs(bucket, connectionBytes, nowMs) > 0 || buckets.waitMs(networks, nowMs) > 0) return false
      bucket.tokens -= bytes
      buckets.spend(networks, nowMs, bytes)
      return true
    },
  }
}

export type ByteBudget = ReturnType<typeof createByteBudget>
