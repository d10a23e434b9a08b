import { expect, test } from 'vitest'
import { createMessageBuffer, endKey } from '../../connection/receive/message-buffer.ts'
import { drawnAtFirst, drawnNext, drawnOf, entriesPerFrame } from './rendered-range.ts'

function listOf(length: number, message = 'b') {
  const buffer = createMessageBuffer()
  for (let index = 0; index < length; index++) {
    buffer.appendMessage({ username: 'a', message, createdTime: 0 }, true)
  }
  return buffer.view()
}

const inWindow = 25

function frames(length: number, around: number) {
  const list = listOf(length)
  const steps = [drawnOf(list, drawnAtFirst(list, around, inWindow))]
  for (let last = steps[0]; last !== undefined && !last.isWhole; last = steps.at(-1)) {
    steps.push(drawnNext(list, last, false))
  }
  return steps
}

test.each([
  [2_000, 2_000],
  [2_000, 700],
  [2_000, 0],
  [5_000, 5_000],
  [30, 30],
  [1, 0],
])('READING-7 a list of %i is drawn whole, frame by frame, beginning where the reader is: at %i', (length, around) => {
  const steps = frames(length, around)
  const first = steps[0]
  const inReach = Math.min(Math.max(around, 0), length - 1)
  expect(first?.from).toBeLessThanOrEqual(inReach)
  expect(first?.to).toBeGreaterThanOrEqual(Math.min(inReach + inWindow, length))
  expect((first?.to ?? 0) - (first?.from ?? 0)).toBeGreaterThanOrEqual(Math.min(inWindow, length))
  expect(steps.at(-1)).toEqual({ from: Math.max(0, length - 2_200), to: length, isWhole: true })
  let drawn = inWindow
  for (const { from, to } of steps) {
    expect(to - from - drawn).toBeLessThanOrEqual(entriesPerFrame)
    drawn = to - from
  }
})

test('READING-7 what comes is drawn at once, as long as it is not too much', () => {
  const drawn = drawnNext(listOf(500), { from: 0, to: 500 }, false)
  expect(drawnNext(listOf(510), drawn, false)).toEqual({ from: 0, to: 510, isWhole: true })
  expect(drawnNext(listOf(1_500), drawn, false)).toEqual({ from: 0, to: 500 + entriesPerFrame, isWhole: false })
})

test('READING-7 long messages that come together are drawn a few a frame, and where the reader is first', () => {
  const long = 'x'.repeat(4_000)
  expect(drawnNext(listOf(21, long), { from: 0, to: 0 }, false)).toEqual({ from: 0, to: 2, isWhole: false })
  expect(drawnNext(listOf(21, long), { from: 0, to: 20 }, false)).toEqual({ from: 0, to: 21, isWhole: true })
  const list = listOf(100, long)
  expect(drawnOf(list, drawnAtFirst(list, 100, inWindow))).toEqual({ from: 98, to: 100, isWhole: false })
  expect(drawnAtFirst(list, 50, inWindow)).toEqual({ from: 50, to: 52 })
  expect(drawnNext(list, { from: 50, to: 52 }, false)).toEqual({ from: 50, to: 54, isWhole: false })
  expect(drawnNext(list, { from: 50, to: 100 }, false)).toEqual({ from: 48, to: 100, isWhole: false })
})

test('READING-7 what is printed is drawn at once', () => {
  const list = listOf(12_000)
  expect(drawnNext(list, drawnAtFirst(list, 0, inWindow), true)).toEqual({
    from: 2_000,
    to: endKey(list),
    isWhole: true,
  })
})

test('READING-2 while a list fills up, a message that comes takes nothing away above it', () => {
  const drawn = { from: 100, to: 500 }
  expect(drawnOf(listOf(500), drawn)).toEqual({ from: 100, to: 500, isWhole: false })
  expect(drawnOf(listOf(501), drawn)).toEqual({ from: 100, to: 501, isWhole: false })
  expect(drawnOf(listOf(1_500), drawn)).toEqual({ from: 100, to: 500 + entriesPerFrame, isWhole: false })
  expect(drawnOf(listOf(2_400), drawn)).toEqual({ from: 200, to: 500 + entriesPerFrame, isWhole: false })
})
