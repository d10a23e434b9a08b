import { expect, test } from 'vitest'
import { isReplayed, openReplayWindow, advanceReplayWindow, maxReplayMs, replayPauseMs } from './replay-window.ts'

test('DELIVERY-3 messages created before a reconnect count as replayed, later ones do not', () => {
  const window = openReplayWindow(50_000)
  expect(isReplayed(window, 49_000)).toBe(true)
  expect(isReplayed(window, 50_001)).toBe(false)
  expect(isReplayed(null, 49_000)).toBe(false)
})

test('DELIVERY-3 the replay ends when the stream pauses', () => {
  const window = advanceReplayWindow(openReplayWindow(50_000), 50_000 + replayPauseMs)
  expect(window).not.toBeNull()
  expect(advanceReplayWindow(window!, 50_000 + 2 * replayPauseMs)).not.toBeNull()
  expect(advanceReplayWindow(window!, 50_001 + 2 * replayPauseMs)).toBeNull()
})

test('DELIVERY-3 the replay ends after the maximum time when the stream never pauses', () => {
  const busy = { reconnectedAtMs: 50_000, lastMessageAtMs: 50_000 + maxReplayMs }
  expect(advanceReplayWindow(busy, 50_000 + maxReplayMs)).not.toBeNull()
  expect(advanceReplayWindow(busy, 50_001 + maxReplayMs)).toBeNull()
})
