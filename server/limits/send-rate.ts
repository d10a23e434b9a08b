import { Refused } from '../refused.ts'
import { isLoopback } from './addresses.ts'
import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

export interface SendRates {
  perConnection: number
  perAddress: number
}

const sweepIntervalMs = 60_000

/** How fast one connection, and one address over all its connections, may send. 0 means no limit. */
export function createSendRateLimit({ perConnection, perAddress }: SendRates) {
  const byAddress = new Map<string, TokenBucket>()
  const sweep = setInterval(() => {
    const now = Date.now()
    for (const [address, bucket] of byAddress) if (bucket.isFull(now)) byAddress.delete(address)
  }, sweepIntervalMs).unref()

  function addressBucket(address: string): TokenBucket | null {
    if (perAddress === 0 || isLoopback(address)) return null
    let bucket = byAddress.get(address)
    if (bucket === undefined) {
      bucket = createTokenBucket(perAddress)
      byAddress.set(address, bucket)
    }
    return bucket
  }

  return {
    /** A function that throws when this connection sends too fast. */
    forConnection(address: string): () => void {
      const own = perConnection === 0 ? null : createTokenBucket(perConnection)
      return () => {
        const now = Date.now()
        const waitMs = own?.take(now) || addressBucket(address)?.take(now) || 0
        if (waitMs > 0) throw new Refused('rate_limited', 'You are sending too fast.', waitMs)
      }
    },
    stop: () => clearInterval(sweep),
  }
}

export type SendRateLimit = ReturnType<typeof createSendRateLimit>
