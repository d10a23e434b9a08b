import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'

/** Rate at which entries arrive, measured like a leaky bucket. */
export interface MessageRate {
  /** End of the list at the last update. */
  readonly end: number
  readonly atMs: number
  /** Time without entries after which the average rate would fall to the threshold. */
  readonly excessMs: number
  /** Time for which the rate has been above the threshold. */
  readonly highForMs: number
}

/** Rate above which a flood can start: too fast to read, and rendering every entry would delay the user's typing. */
const floodStartPerSecond = 500
/** Rate below which a flood ends. It is well below the start rate, so that the renderer does not switch back and forth. */
const floodEndPerSecond = 100
/**
 * Time for which the rate must be high before it counts as a flood. A shorter burst ends before another renderer would
 * help.
 */
const floodAfterMs = 400
/**
 * Limit of `excessMs`: the longest time without entries in which the rate still counts as high. A busy page receives a
 * flood unevenly.
 */
const maxExcessMs = { beforeFlood: 200, inFlood: 1_000 }

export const isFlood = ({ highForMs }: MessageRate) => highForMs >= floodAfterMs
/** Returns whether a flood may start or has started. A single batch does not make the rate high. */
export const isHighRate = ({ highForMs }: MessageRate) => highForMs > 0

export const idleRate = (list: MessageList): MessageRate => ({
  end: endKey(list),
  atMs: list.createdAtMs,
  excessMs: 0,
  highForMs: 0,
})

export function updateRate(previous: MessageRate, list: MessageList): MessageRate {
  const end = endKey(list)
  const atMs = list.createdAtMs
  const elapsedMs = atMs - previous.atMs
  const wasFlood = isFlood(previous)
  const earnedMs = ((end - previous.end) * 1_000) / (wasFlood ? floodEndPerSecond : floodStartPerSecond)
  const limitMs = wasFlood ? maxExcessMs.inFlood : maxExcessMs.beforeFlood
  const excessMs = Math.min(limitMs, previous.excessMs + earnedMs - elapsedMs)
  if (excessMs <= 0) return idleRate(list)
  return { end, atMs, excessMs, highForMs: previous.excessMs > 0 ? previous.highForMs + elapsedMs : 0 }
}
