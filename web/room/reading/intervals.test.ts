import fc from 'fast-check'
import { expect, test } from 'vitest'
import { append, type Intervals, lastRun, subtract } from './intervals.ts'

const members = (intervals: Intervals) =>
  intervals.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))

test('READING-2 intervals contain the appended keys without the subtracted ones, in order and not touching', () => {
  const range = fc.tuple(fc.nat(60), fc.nat(20)).map(([from, length]) => ({ from, to: from + length }))
  const step = fc.oneof(
    fc.nat(10).map((length) => ({ kind: 'append' as const, length })),
    range.map((removed) => ({ kind: 'subtract' as const, removed })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let intervals: Intervals = []
      const expected = new Set<number>()
      let end = 0
      for (const step of steps) {
        if (step.kind === 'append') {
          intervals = append(intervals, { from: end, to: end + step.length })
          for (let key = end; key < end + step.length; key++) expected.add(key)
          end += step.length
        } else {
          intervals = subtract(intervals, step.removed)
          for (let key = step.removed.from; key < step.removed.to; key++) expected.delete(key)
        }
        expect(members(intervals)).toEqual([...expected])
        for (const [index, { from }] of intervals.entries())
          expect(from).toBeGreaterThan(intervals[index - 1]?.to ?? -1)
      }
    }),
    { numRuns: 500 },
  )
})

test('READING-2 subtracting or appending nothing returns the same intervals', () => {
  const intervals = [{ from: 3, to: 5 }]
  expect(subtract(intervals, { from: 0, to: 3 })).toBe(intervals)
  expect(append(intervals, { from: 9, to: 9 })).toBe(intervals)
})

test('READING-2 entries missing between rendered ones are not part of the visible range', () => {
  expect(lastRun([3, 4, 5])).toEqual({ from: 3, to: 6 })
  expect(lastRun([0, 1])).toEqual({ from: 0, to: 2 })
  expect(lastRun([3, 900, 901])).toEqual({ from: 900, to: 902 })
  expect(lastRun([3, 4, 900])).toEqual({ from: 900, to: 901 })
  expect(lastRun([])).toEqual({ from: 0, to: 0 })
})
