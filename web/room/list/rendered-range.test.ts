import { expect, test } from 'vitest'
import { createMessageBuffer, endKey } from '../../connection/receive/message-buffer.ts'
import {
  entriesPerFrame,
  extendByFrame,
  extendToNewest,
  initialRange,
  jumpToNewest,
  printedRange,
} from './rendered-range.ts'

function listOf(length: number, message = 'b') {
  const buffer = createMessageBuffer()
  for (let index = 0; index < length; index++) {
    buffer.appendMessage({ username: 'a', message, createdTime: 0 }, true)
  }
  return buffer.view()
}

const inViewport = 25

function frames(length: number, nearKey: number) {
  const list = listOf(length)
  const steps = [extendToNewest(list, initialRange(list, nearKey, inViewport))]
  for (let last = steps[0]; last !== undefined && !last.isComplete; last = steps.at(-1)) {
    steps.push(extendByFrame(list, last))
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
])(
  'READING-7 a list of %i is rendered completely, frame by frame, starting at the reading position %i',
  (length, nearKey) => {
    const steps = frames(length, nearKey)
    const first = steps[0]
    const start = Math.min(Math.max(nearKey, 0), length - 1)
    expect(first?.from).toBeLessThanOrEqual(start)
    expect(first?.to).toBeGreaterThanOrEqual(Math.min(start + inViewport, length))
    expect((first?.to ?? 0) - (first?.from ?? 0)).toBeGreaterThanOrEqual(Math.min(inViewport, length))
    expect(steps.at(-1)).toEqual({ from: Math.max(0, length - 2_200), to: length, isComplete: true })
    let rendered = inViewport
    for (const { from, to } of steps) {
      expect(to - from - rendered).toBeLessThanOrEqual(entriesPerFrame)
      rendered = to - from
    }
  },
)

test('READING-7 new entries are rendered at once, up to the budget of a frame', () => {
  const rendered = extendByFrame(listOf(500), { from: 0, to: 500 })
  expect(extendByFrame(listOf(510), rendered)).toEqual({ from: 0, to: 510, isComplete: true })
  expect(extendByFrame(listOf(1_500), rendered)).toEqual({
    from: 0,
    to: 500 + entriesPerFrame,
    isComplete: false,
  })
})

test('READING-7 long messages are rendered a few per frame, starting at the reading position', () => {
  const long = 'x'.repeat(4_000)
  expect(extendByFrame(listOf(21, long), { from: 0, to: 0 })).toEqual({ from: 0, to: 2, isComplete: false })
  expect(extendByFrame(listOf(21, long), { from: 0, to: 20 })).toEqual({ from: 0, to: 21, isComplete: true })
  const list = listOf(100, long)
  expect(extendToNewest(list, initialRange(list, 100, inViewport))).toEqual({ from: 98, to: 100, isComplete: false })
  expect(initialRange(list, 50, inViewport)).toEqual({ from: 50, to: 52 })
  expect(extendByFrame(list, { from: 50, to: 52 })).toEqual({ from: 50, to: 54, isComplete: false })
  expect(extendByFrame(list, { from: 50, to: 100 })).toEqual({ from: 48, to: 100, isComplete: false })
})

test('READING-7 a printed list has the newest 10,000 entries', () => {
  const list = listOf(12_000)
  expect(printedRange(list)).toEqual({ from: 2_000, to: endKey(list) })
})

test('READING-2 a new message does not remove rendered entries above it while the list fills', () => {
  const rendered = { from: 100, to: 500 }
  expect(extendToNewest(listOf(500), rendered)).toEqual({ from: 100, to: 500, isComplete: false })
  expect(extendToNewest(listOf(501), rendered)).toEqual({ from: 100, to: 501, isComplete: false })
  expect(extendToNewest(listOf(1_500), rendered)).toEqual({ from: 100, to: 500 + entriesPerFrame, isComplete: false })
  expect(extendToNewest(listOf(2_400), rendered)).toEqual({ from: 200, to: 500 + entriesPerFrame, isComplete: false })
})

test('READING-4 after a burst the newest entries are rendered first, and a short lag is filled in order', () => {
  expect(jumpToNewest(listOf(500), { from: 0, to: 500 - inViewport }, inViewport)).toBeNull()
  expect(jumpToNewest(listOf(1_500), { from: 0, to: 500 }, inViewport)).toEqual({
    from: 1_500 - inViewport,
    to: 1_500,
  })
})
