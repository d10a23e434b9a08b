import { expect, test } from 'vitest'
import { createRetentionClock } from './retention-clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const newest = Date.UTC(2026, 0, 1)

/** Time passes for both clocks; only the wall's can be set. */
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

test('STORAGE-6 time passes as it passes, however the machine’s clock is set meanwhile', () => {
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

test('STORAGE-6 after a long pause what is stored ages by it only when the clock has had an hour to be corrected', () => {
  const { clocks, pass } = createClocks(newest + 7 * dayMs)
  const clock = createRetentionClock(clocks, newest)
  expect(clock.now()).toBe(newest + 7 * dayMs)
  pass(hourMs - 1)
  expect(clock.trimNow()).toBe(newest + hourMs - 1)
  pass(1)
  expect(clock.trimNow()).toBe(newest + 7 * dayMs + hourMs)
})

test('STORAGE-6 a start with a clock far ahead that is then corrected: the clock follows, and nothing was aged', () => {
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

test('STORAGE-6 a start with a clock behind the newest message goes on from that message', () => {
  const { clocks, pass } = createClocks(0)
  const clock = createRetentionClock(clocks, newest)
  pass(minuteMs)
  expect(clock.now()).toBe(newest + minuteMs)
  expect(clock.followCorrection()).toBe(false)
})
