import { RefusalError } from '../refusal-error.ts'
import { limitKey } from './addresses.ts'
import { createBucketPerAddress } from './bucket-per-address.ts'
import type { RaidGuard } from './raid.ts'
import { createTokenBucket } from './token-bucket.ts'

export interface SendRates {
  perConnection: number
  perAddress: number
}

/** How fast one connection, and one address over all its connections, may send. 0 means no limit. */
export function createSendRateLimit({ perConnection, perAddress }: SendRates, raid: RaidGuard) {
  const addresses = createBucketPerAddress(perAddress)
  const raidIsWatched = perConnection > 0

  return {
    /** A function that throws when this connection sends too fast. */
    forConnection(address: string, isAccount: boolean): () => void {
      const own = perConnection === 0 ? null : createTokenBucket(perConnection)
      const key = limitKey(address)
      const refuseRaider = raidIsWatched ? raid.forSender(address, isAccount) : null
      return () => {
        const now = Date.now()
        const waitMs = own?.take(now) || addresses.take(key, now)
        if (waitMs > 0) throw new RefusalError('rate_limited', 'You are sending too fast.', waitMs)
        refuseRaider?.()
      }
    },
  }
}

export type SendRateLimit = ReturnType<typeof createSendRateLimit>
