export interface Rate {
  perSecond: number
  burst: number
}

/** State of a token bucket. It is plain data because a server holds tens of thousands of them. */
export interface TokenBucket {
  tokens: number
  updatedAtMs: number
}

export function createTokenBucket({ burst }: Rate, nowMs: number): TokenBucket {
  return { tokens: burst, updatedAtMs: nowMs }
}

/** Refills the bucket. Returns 0 if it has this amount of tokens, otherwise the time until it does. Takes no tokens. */
export function tokenWaitMs(bucket: TokenBucket, rate: Rate, nowMs: number, amount = 1): number {
  // A clock that is set back must not remove tokens.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs)
  bucket.tokens = Math.min(rate.burst, bucket.tokens + (elapsedMs * rate.perSecond) / 1_000)
  bucket.updatedAtMs = nowMs
  // An amount above the burst needs only a full bucket. Otherwise it would wait for ever.
  const missing = Math.min(amount, rate.burst) - bucket.tokens
  return missing <= 0 ? 0 : Math.ceil((missing * 1_000) / rate.perSecond)
}
