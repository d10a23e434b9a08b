import { expect, test } from 'vitest'
import { entry } from '../log-fixture.suite.ts'
import { createSendQueue, maxFlushBytes, maxQueuedBytesOfNetwork } from './send-queue.ts'

const long = 'x'.repeat(4_000)
const subscriberCount = 1_024

function openQueue() {
  const queue = createSendQueue()
  const add = (network: string | null, text: string) =>
    queue.add({
      entry: entry(text),
      network,
      acknowledge: () => undefined,
      onStored: () => undefined,
      isAllowed: () => true,
    })
  const takeTexts = (count = subscriberCount) =>
    queue.takeBatch(count).map((message) => message.entry.message.message.replace(long, ''))
  return { queue, add, takeTexts }
}

const isSorted = (numbers: readonly number[]) => numbers.every((number, i) => number > (numbers[i - 1] ?? 0))

test('SECURITY-3 a network with a burst fills a part of each batch, in order, and messages of other networks follow at once', () => {
  const { queue, add, takeTexts } = openQueue()
  for (let i = 1; i <= 50; i++) add('burst', `${i}${long}`)
  for (const text of ['first', 'second']) add('other', text)
  expect(takeTexts()).toStrictEqual(['1', '2', '3', '4', '5', '6', '7', 'first', 'second'])
  add('third', 'late')
  expect(takeTexts()).toStrictEqual(['8', '9', '10', '11', '12', '13', '14', 'late'])
  let taken = 14
  while (!queue.isEmpty()) {
    const numbers = takeTexts().map(Number)
    expect(numbers[0]).toBe(taken + 1)
    expect(isSorted(numbers)).toBe(true)
    taken += numbers.length
  }
  expect(taken).toBe(50)
})

test('FANOUT-6 a network fills a larger part of a batch in a smaller room, and loopback the whole batch', () => {
  const { add, takeTexts } = openQueue()
  for (let i = 1; i <= 100; i++) add('burst', long)
  expect(takeTexts(512)).toHaveLength(15)
  expect(takeTexts(1)).toHaveLength(Math.floor(maxFlushBytes / 4_250))
  const loopback = openQueue()
  for (let i = 1; i <= 100; i++) loopback.add(null, long)
  expect(loopback.takeTexts()).toHaveLength(Math.floor(maxFlushBytes / 4_250))
})

test('FANOUT-6 a message that is larger than the part of its network is stored', () => {
  const { add, takeTexts } = openQueue()
  const large = '\u0001'.repeat(4_000)
  add('other', 'before')
  for (let i = 0; i < 2; i++) add('large', large)
  expect(takeTexts()).toStrictEqual(['before', large])
  expect(takeTexts()).toStrictEqual([large])
})

test('SECURITY-3 one network cannot fill the queue', () => {
  const { add } = openQueue()
  const fits = Math.floor(maxQueuedBytesOfNetwork / 4_300)
  for (let i = 0; i < fits; i++) expect(add('burst', long)).toBe(true)
  while (add('burst', long));
  expect(add('other', long)).toBe(true)
})
