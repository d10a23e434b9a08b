import { expect, test } from 'vitest'
import { entry } from '../log-fixture.suite.ts'
import { createSendQueue, maxFanOutBytes, maxFlushBytes, maxQueuedBytesOfNetwork } from './send-queue.ts'

const long = 'x'.repeat(4_000)
/** Number of subscribers for which a batch may have 64 KiB. */
const subscriberCount = maxFanOutBytes / 65_536

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

const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => `${first + i}`)

test('SECURITY-3 a network with a burst fills a part of each batch, in order, and messages of other networks do not wait', () => {
  const { queue, add, takeTexts } = openQueue()
  for (let i = 1; i <= 50; i++) add('burst', `${i}${long}`)
  for (const text of ['first', 'second']) add('other', text)
  expect(takeTexts()).toStrictEqual(['first', 'second', ...numbers(1, 15)])
  add('third', 'late')
  expect(takeTexts()).toStrictEqual(['late', ...numbers(16, 30)])
  let taken = 30
  while (!queue.isEmpty()) {
    const texts = takeTexts()
    expect(texts).toStrictEqual(numbers(taken + 1, taken + texts.length))
    taken += texts.length
  }
  expect(taken).toBe(50)
})

test('SECURITY-3 a message does not wait for the bursts of many networks', () => {
  const { add, takeTexts } = openQueue()
  const bursts = Array.from({ length: 24 }, (_, network) => `burst ${network}`)
  for (let i = 0; i < 10; i++) for (const network of bursts) add(network, long)
  takeTexts()
  add('other', 'short')
  expect(takeTexts()).toContain('short')
})

test('SECURITY-3 networks with bursts fill equal parts of the batches, however long their messages are', () => {
  const { add, takeTexts } = openQueue()
  const half = 'y'.repeat(long.length / 2)
  for (let i = 0; i < 50; i++) add('long', `a${long}`)
  for (let i = 0; i < 50; i++) add('short', half)
  const texts = [...takeTexts(), ...takeTexts()]
  const longCount = texts.filter((text) => text === 'a').length
  expect(longCount).toBeGreaterThan(10)
  expect((texts.length - longCount) / longCount).toBeCloseTo(2, 0)
})

test('FANOUT-6 a batch is larger in a smaller room, and with messages from loopback', () => {
  const { add, takeTexts } = openQueue()
  for (let i = 1; i <= 100; i++) add('burst', long)
  expect(takeTexts(subscriberCount / 2)).toHaveLength(30)
  expect(takeTexts(1)).toHaveLength(Math.floor(maxFlushBytes / 4_250))
  const loopback = openQueue()
  for (let i = 1; i <= 100; i++) loopback.add(null, long)
  expect(loopback.takeTexts()).toHaveLength(Math.floor(maxFlushBytes / 4_250))
})

test('FANOUT-6 a message that is larger than a batch is stored', () => {
  const { add, takeTexts } = openQueue()
  const large = '\u0001'.repeat(4_000)
  add('other', 'before')
  for (let i = 0; i < 2; i++) add('large', large)
  expect(takeTexts(100_000)).toStrictEqual(['before'])
  expect(takeTexts(100_000)).toStrictEqual([large])
  expect(takeTexts(100_000)).toStrictEqual([large])
})

test('SECURITY-3 one network cannot fill the queue', () => {
  const { add } = openQueue()
  const fits = Math.floor(maxQueuedBytesOfNetwork / 4_300)
  for (let i = 0; i < fits; i++) expect(add('burst', long)).toBe(true)
  while (add('burst', long));
  expect(add('other', long)).toBe(true)
})
