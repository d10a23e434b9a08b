import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

/** Maximum rate of a normal sender. A user who chats sends less. */
const normalRate: Rate = { perSecond: 1, burst: 10 }
/** Time of normal sending after which a sender is established. */
const establishedAfterMs = 600_000

/** Record of how long a connection, or an address, has sent messages at a normal rate. */
export interface Standing {
  sinceMs: number
  normal: TokenBucket
}

export function createStanding(nowMs: number): Standing {
  return { sinceMs: nowMs, normal: createTokenBucket(normalRate, nowMs) }
}

/** Counts a message. A message above the normal rate restarts the time of normal sending. */
export function countMessage(standing: Standing, nowMs: number): void {
  if (tokenWaitMs(standing.normal, normalRate, nowMs) > 0) standing.sinceMs = nowMs
  else standing.normal.tokens--
}

export function isEstablished({ sinceMs }: Standing, nowMs: number): boolean {
  return nowMs - sinceMs >= establishedAfterMs
}
