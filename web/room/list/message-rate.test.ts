import { expect, test } from 'vitest'
import { emptyMessageList } from '../../connection/receive/message-buffer.ts'
import { idleRate, isFlood, updateRate } from './message-rate.ts'

/** Returns whether there is a flood after each update, for updates 80 ms apart with these numbers of entries. */
function floods(entriesPerUpdate: number[]) {
  let rate = idleRate(emptyMessageList)
  let length = 0
  return entriesPerUpdate.map((entries, index) => {
    length += entries
    rate = updateRate(rate, { ...emptyMessageList, length, createdAtMs: (index + 1) * 80 })
    return isFlood(rate)
  })
}

const updates = (count: number, entries: number) => Array<number>(count).fill(entries)

test('READING-4 a thousand messages a second are a flood before the list is long', () => {
  expect(floods(updates(9, 80)).lastIndexOf(false)).toBeLessThan(8)
})

test('READING-4 an uneven flood on a busy page is detected', () => {
  expect(floods([81, 52, 22, 156, 20, 9, 176, 125, 81]).lastIndexOf(false)).toBeLessThan(8)
})

test('READING-4 neither a burst nor a busy room is a flood', () => {
  expect(floods([...updates(3, 400), ...updates(50, 1)])).not.toContain(true)
  expect(floods(updates(100, 16))).not.toContain(true)
})

test('READING-4 a slowing flood ends only well below the rate at which it started', () => {
  const flood = updates(12, 80)
  expect(floods([...flood, ...updates(12, 16)])).toEqual([...updates(5, 0), ...updates(19, 1)].map(Boolean))
  expect(floods([...flood, ...updates(30, 4)]).at(-1)).toBe(false)
})
