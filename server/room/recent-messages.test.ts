import { expect, test } from 'vitest'
import { encodeFrames } from '../fanout/frames.ts'
import { createRecentMessages } from './recent-messages.ts'

const packets = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `message ${first + index}`)

/** Holds the messages from 1 on, in batches of these sizes. */
function holding(...counts: number[]) {
  const recent = createRecentMessages()
  let first = 1
  for (const count of counts) {
    recent.add({ first, count, frames: encodeFrames(packets(first, count)) })
    first += count
  }
  return recent
}

test('DELIVERY-3 a page begins in the middle of a flush, goes on through the next ones and ends where it is full', () => {
  const recent = holding(3, 1, 4, 2)
  for (const [seq, maxMessages, count] of [
    [1, 200, 10],
    [2, 200, 9],
    [3, 4, 4],
    [4, 1, 1],
    [10, 200, 1],
  ] as const) {
    const page = recent.from(seq, maxMessages)
    expect(page?.count).toBe(count)
    expect(page?.packets.packets).toStrictEqual(packets(seq, count))
  }
})

test('DELIVERY-3 what is older than memory reaches is asked of the log', () => {
  expect(createRecentMessages().from(1, 200)).toBeNull()
  const recent = holding(...Array.from({ length: 45 }, () => 100))
  expect(recent.from(2_000, 200)).toBeNull()
  expect(recent.from(4_500, 200)?.packets.packets).toStrictEqual(['message 4500'])
  expect(holding(5_000).from(5_000, 200)).toBeNull()
})
