import { expect, test } from 'vitest'
import { emptyMessageList } from '../../connection/receive/message-buffer.ts'
import { idleRate, updateRate, isFlood } from './message-rate.ts'

/** Whether it is a flood after each of some draws, 80 ms apart, with so many entries in each. */
function floods(entriesPerDraw: number[]) {
  let flow = idleRate(emptyMessageList)
  let length = 0
  return entriesPerDraw.map((entries, index) => {
    length += entries
    flow = updateRate(flow, { ...emptyMessageList, length, createdAtMs: (index + 1) * 80 })
    return isFlood(flow)
  })
}

const draws = (count: number, entries: number) => Array<number>(count).fill(entries)

test('READING-4 a thousand messages a second are a flood before a list of them is long', () => {
  expect(floods(draws(9, 80)).lastIndexOf(false)).toBeLessThan(8)
})

test('READING-4 what comes in gusts to a busy page is a flood as well', () => {
  expect(floods([81, 52, 22, 156, 20, 9, 176, 125, 81]).lastIndexOf(false)).toBeLessThan(8)
})

test('READING-4 neither a burst nor what a busy room says is a flood', () => {
  expect(floods([...draws(3, 400), ...draws(50, 1)])).not.toContain(true)
  expect(floods(draws(100, 16))).not.toContain(true)
})

test('READING-4 a flood that is thinning is one until it is calm', () => {
  const flood = draws(12, 80)
  expect(floods([...flood, ...draws(12, 16)])).toEqual([...draws(5, 0), ...draws(19, 1)].map(Boolean))
  expect(floods([...flood, ...draws(30, 4)]).at(-1)).toBe(false)
})
