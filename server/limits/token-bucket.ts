/** A steady rate with a burst. `take` answers 0 when there was room, otherwise how many ms until there will be. */
export interface TokenBucket {
  take: (nowMs: number) => number
  isFull: (nowMs: number) => boolean
}

export const burstSeconds = 10

export function createTokenBucket(perSecond: number, burst = perSecond * burstSeconds): TokenBucket {
  let tokens = burst
  let updatedAtMs: number | null = null

  function refill(nowMs: number): void {
    // A clock that was set back must not take tokens away.
    const elapsedMs = updatedAtMs === null ? 0 : Math.max(0, nowMs - updatedAtMs)
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1_000)
    updatedAtMs = nowMs
  }

  return {
    take(nowMs) {
      refill(nowMs)
      if (tokens >= 1) {
        tokens--
        return 0
      }
      return Math.ceil(((1 - tokens) * 1_000) / perSecond)
    },
    isFull(nowMs) {
      refill(nowMs)
      return tokens >= burst
    },
  }
}
