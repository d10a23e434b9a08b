/**
 * The wire does not say where a replay ends and the present begins, and only a screen reader's announcements ask.
 * So after a return what was written before it counts as replayed, until the stream has paused or the window is over.
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

/** The window after a message, `null` once the replay is over. */
export function advanceReplayWindow(window: ReplayWindow, nowMs: number): ReplayWindow | null {
  const over = nowMs - window.lastMessageAtMs > replayPauseMs || nowMs - window.reconnectedAtMs > maxReplayMs
  return over ? null : { ...window, lastMessageAtMs: nowMs }
}

export function isReplayed(window: ReplayWindow | null, createdTime: number): boolean {
  return window !== null && createdTime <= window.reconnectedAtMs
}
