import { expect, onTestFinished, test, vi } from 'vitest'
import { encode } from './encoded-packets.ts'
import type { EncodedMessage } from './message-packets.ts'
import { createRecentMessages, maxRecentBytes } from './recent-messages.ts'

const hourMs = 3_600_000
const wholePage = 1_000_000
const message = (seq: number, text = ''): EncodedMessage => ({
  seq,
  payload: encode({ username: 'a', message: text, createdTime: seq }),
})
const messages = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => message(first + index))
const seqs = (held: EncodedMessage[] | null) => held?.map(({ seq }) => seq) ?? null

/** Returns recent messages from seq 1 on, in batches of these sizes. */
function createWithBatches(...counts: number[]) {
  const recent = createRecentMessages(hourMs)
  let first = 1
  for (const count of counts) {
    recent.add(messages(first, first + count - 1))
    first += count
  }
  return recent
}

test('DELIVERY-3 a page may start inside a batch, continues through the next batches and ends when it is full', () => {
  const recent = createWithBatches(3, 1, 4, 2)
  expect(seqs(recent.from(1, 200, wholePage))).toStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(seqs(recent.from(3, 4, wholePage))).toStrictEqual([3, 4, 5, 6])
  expect(seqs(recent.from(10, 200, wholePage))).toStrictEqual([10])
  expect(recent.from(11, 200, wholePage)).toBeNull()
  expect(seqs(recent.from(2, 200, 1))).toStrictEqual([2])
  expect(recent.from(5, 1, wholePage)).toStrictEqual([message(5)])
})

test('REPLAY-2 memory is bounded in bytes; older messages are not held', () => {
  expect(createRecentMessages(hourMs).from(1, 200, wholePage)).toBeNull()
  const recent = createRecentMessages(hourMs)
  for (let seq = 1; seq <= 2_000; seq++) recent.add([message(seq, 'x'.repeat(10_000))])
  expect(recent.heldBytes()).toBeLessThanOrEqual(maxRecentBytes)
  expect(recent.from(1_000, 200, wholePage)).toBeNull()
  expect(seqs(recent.from(1_999, 200, wholePage))).toStrictEqual([1_999, 2_000])
})

test('REPLAY-2 messages older than the retention are not served from memory', () => {
  let nowMs = 0
  const recent = createRecentMessages(1_000, () => nowMs)
  recent.add(messages(1, 3))
  nowMs = 900
  recent.add(messages(4, 5))
  nowMs = 1_100
  expect(recent.from(1, 200, wholePage)).toBeNull()
  expect(seqs(recent.from(4, 200, wholePage))).toStrictEqual([4, 5])
  nowMs = 5_000
  expect(recent.from(4, 200, wholePage)).toBeNull()
})

test('REPLAY-2 a batch that does not continue the held messages replaces them', () => {
  const recent = createWithBatches(3)
  recent.add([message(7), message(9)])
  expect(recent.from(3, 200, wholePage)).toBeNull()
  expect(recent.from(7, 200, wholePage)).toBeNull()
  recent.add([message(10), message(11)])
  recent.add([message(13)])
  expect(recent.from(10, 200, wholePage)).toBeNull()
  expect(seqs(recent.from(13, 200, wholePage))).toStrictEqual([13])
})

test('REPLAY-2 pages at all positions share the decoded messages, which are dropped soon and after a removal', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const recent = createWithBatches(3, 2)
  const shared = (seq: number) => recent.from(seq, 1, wholePage)?.[0]
  const whole = recent.from(1, 200, wholePage) ?? []
  expect(whole).toHaveLength(5)
  for (const one of whole) expect(shared(one.seq)).toBe(one)
  recent.mask(new Set([2]))
  expect(shared(3)).not.toBe(whole[2])
  const again = shared(3)
  expect(shared(3)).toBe(again)
  vi.advanceTimersByTime(2_000)
  expect(shared(3)).not.toBe(again)
  expect(shared(3)).toStrictEqual(again)
})
