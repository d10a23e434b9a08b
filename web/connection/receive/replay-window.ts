/**
 * Heuristic that separates replayed messages from live ones; screen reader announcements skip replayed messages. The
 * protocol does not mark the end of a replay. After a reconnect, messages created before it count as replayed, until the
 * stream pauses for `replayPauseMs` or `maxReplayMs` have passed.
 */
export interface ReplayWindow {
  readonly reconnectedAtMs: number
  readonly lastMessageAtMs: number
}

export const replayPauseMs = 1_000
export const maxReplayMs = 10_000

export function openReplayWindow(nowMs: number): ReplayWindow {
  return { reconnectedAtMs: nowMs, lastMessageAtMs: nowMs }
}

/** Returns the window after one more message; `null` when the replay is over. */
export function advanceReplayWindow(window: ReplayWindow, nowMs: number): ReplayWindow | null {
  const isOver = nowMs - window.lastMessageAtMs > replayPauseMs || nowMs - window.reconnectedAtMs > maxReplayMs
  return isOver ? null : { ...window, lastMessageAtMs: nowMs }
}

export function isReplayed(window: ReplayWindow | null, createdTime: number): boolean {
  return window !== null && createdTime <= window.reconnectedAtMs
}
