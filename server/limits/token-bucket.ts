export const burstSeconds = 10

/** A steady rate with a burst. */
export interface Rate {
  perSecond: number
  burst: number
}

/** What is left of a rate, and when that was; plain data, because tens of thousands of them are held. */
export interface TokenBucket {
  tokens: number
  updatedAtMs: number
}

export function createTokenBucket({ burst }: Rate, nowMs: number): TokenBucket {
  return { tokens: burst, updatedAtMs: nowMs }
}

/** 0 when there is room for this amount, otherwise how many ms until there will be. Takes nothing. */
export function tokenWaitMs(bucket: TokenBucket, rate: Rate, nowMs: number, amount = 1): number {
  // A clock that was set back must not take tokens away.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs)
  bucket.tokens = Math.min(rate.burst, bucket.tokens + (elapsedMs * rate.perSecond) / 1_000)
  bucket.updatedAtMs = nowMs
  // What is larger than any burst goes out when the bucket is full: it would wait for ever.
  const missing = Math.min(amount, rate.burst) - bucket.tokens
  return missing <= 0 ? 0 : Math.ceil((missing * 1_000) / rate.perSecond)
}
