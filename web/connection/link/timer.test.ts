import { afterEach, expect, test, vi } from 'vitest'
import { createTimer } from './timer.ts'

const dayMs = 86_400_000

afterEach(() => void vi.useRealTimers())

test('MODERATION-32 a timer runs its callback once, after a delay longer than a browser timer supports', () => {
  vi.useFakeTimers()
  const timer = createTimer()
  const callback = vi.fn<() => void>()
  timer.set(60 * dayMs, callback)
  vi.advanceTimersByTime(60 * dayMs - 1)
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(callback).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('MODERATION-32 a cleared timer does not run its callback after a long delay', () => {
  vi.useFakeTimers()
  const timer = createTimer()
  const callback = vi.fn<() => void>()
  timer.set(60 * dayMs, callback)
  vi.advanceTimersByTime(30 * dayMs)
  timer.clear()
  vi.advanceTimersByTime(60 * dayMs)
  expect(callback).not.toHaveBeenCalled()
})
