import { expect, test } from 'vitest'
import { createSlowMode, maxSlowSenders } from './slow-mode.ts'

test('MODERATION-16 slow mode returns how long to wait, and accepts a repeat of the same message', () => {
  let timeMs = 0
  const slowMode = createSlowMode(() => timeMs)
  expect(slowMode.take('bob', 'first', 30_000)).toMatchObject({ messageId: 'first' })
  timeMs = 10_000
  expect(slowMode.take('bob', 'first', 30_000)).toBe('repeated')
  expect(slowMode.take('bob', 'second', 30_000)).toBe(20_000)
  expect(slowMode.take('bob', null, 30_000)).toBe(20_000)
  expect(slowMode.take('eve', 'other', 30_000)).toMatchObject({ messageId: 'other' })
  timeMs = 30_000
  expect(slowMode.take('bob', 'second', 30_000)).toMatchObject({ messageId: 'second' })
})

test.each([
  ['an id', 'first', 'second'],
  ['no id', null, null],
])('MODERATION-16 a message with %s that is not stored releases its own slot only', (_, first, second) => {
  let timeMs = 0
  const slowMode = createSlowMode(() => timeMs)
  const take = (messageId: string | null) => {
    const slot = slowMode.take('bob', messageId, 30_000)
    if (typeof slot !== 'object') throw new Error('no slot')
    return slot
  }
  const slotOfFirst = take(first)
  timeMs = 30_000
  const slotOfSecond = take(second)
  slowMode.release(slotOfFirst)
  expect(slowMode.take('bob', 'third', 30_000)).toBe(30_000)
  slowMode.release(slotOfSecond)
  expect(take('third')).toMatchObject({ messageId: 'third' })
})

test('MODERATION-16 slow mode tracks a bounded number of senders and evicts the least recent', () => {
  const slowMode = createSlowMode(() => 0)
  for (let index = 0; index <= maxSlowSenders; index++) slowMode.take(`sender ${index}`, null, 1_000)
  expect(slowMode.take('sender 0', null, 1_000)).toMatchObject({ sender: 'sender 0' })
  expect(slowMode.take(`sender ${maxSlowSenders}`, null, 1_000)).toBe(1_000)
})
