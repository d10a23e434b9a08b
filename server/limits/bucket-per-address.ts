import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

const sweepEveryMs = 60_000

/** One bucket for each address, named by its `limitKey`. A rate of 0 means no limit, and so does the key `null`. */
export function createBucketPerAddress(perSecond: number, burst?: number) {
  const buckets = new Map<string, TokenBucket>()
  let sweptAtMs = 0

  /** A full bucket says no more than none. */
  function sweep(nowMs: number): void {
    if (nowMs - sweptAtMs < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const [key, bucket] of buckets) if (bucket.isFull(nowMs)) buckets.delete(key)
  }

  return {
    /** 0 when there was room, otherwise how many ms until there will be. */
    take(key: string | null, nowMs: number): number {
      if (perSecond === 0 || key === null) return 0
      sweep(nowMs)
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = createTokenBucket(perSecond, burst)
        buckets.set(key, bucket)
      }
      return bucket.take(nowMs)
    },
    size: () => buckets.size,
  }
}
