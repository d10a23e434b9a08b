import { expect, test } from 'vitest'
import { createRetentionClock } from './retention-clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const newest = Date.UTC(2026, 0, 1)

/** Creates a wall clock and a monotonic clock. `pass` advances both; `setWall` sets the wall clock. */
function createClocks(wall: number) {
  let monotonic = 1_000
  return {
    clocks: { wallMs: () => wall, monotonicMs: () => monotonic },
    pass: (ms: number) => {
      wall += ms
      monotonic += ms
    },
    setWall: (to: number) => void (wall = to),
  }
}

test('STORAGE-6 the retention clock ignores changes of the system clock', () => {
  const { clocks, pass, setWall } = createClocks(newest + minuteMs)
  const clock = createRetentionClock(clocks, newest)
  pass(2 * hourMs)
  for (const wall of [newest + 30 * dayMs, newest - 30 * dayMs]) {
    setWall(wall)
    expect(clock.now()).toBe(newest + minuteMs + 2 * hourMs)
    expect(clock.trimNow()).toBe(clock.now())
    expect(clock.followCorrection()).toBe(false)
  }
})

test('STORAGE-6 after a long downtime, stored messages age by the downtime only when the grace period of an hour ends', () => {
  const { clocks, pass } = createClocks(newest + 7 * dayMs)
  const clock = createRetentionClock(clocks, newest)
  expect(clock.now()).toBe(newest + 7 * dayMs)
  pass(hourMs - 1)
  expect(clock.trimNow()).toBe(newest + hourMs - 1)
  pass(1)
  expect(clock.trimNow()).toBe(newest + 7 * dayMs + hourMs)
})

test('STORAGE-6 a system clock that is far ahead at the start and then corrected expires no message', () => {
  const { clocks, pass, setWall } = createClocks(newest + 365 * dayMs)
  const clock = createRetentionClock(clocks, newest)
  pass(minuteMs)
  expect(clock.followCorrection()).toBe(false)
  setWall(newest + 5 * minuteMs)
  expect(clock.followCorrection()).toBe(true)
  expect(clock.now()).toBe(newest + 5 * minuteMs)
  expect(clock.followCorrection()).toBe(false)
  pass(2 * hourMs)
  expect(clock.trimNow()).toBe(newest + 5 * minuteMs + 2 * hourMs)
})

test('STORAGE-6 with a system clock behind the newest message, the retention clock starts at that message', () => {
  const { clocks, pass } = createClocks(0)
  const clock = createRetentionClock(clocks, newest)
  pass(minuteMs)
  expect(clock.now()).toBe(newest + minuteMs)
  expect(clock.followCorrection()).toBe(false)
})
