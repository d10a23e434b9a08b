import { expect, onTestFinished, test, vi } from 'vitest'
import { maxMessageCharacters } from '../../../contract/limits.ts'
import { createSubscriber, isLive, openAudience, seqs } from './audience.suite.ts'
import { entry } from '../log-fixture.suite.ts'
import { encodePayload, frameBytes } from './message-packets.ts'
import { maxConcurrentReads, maxPageBytes, maxPageMessages, readLimits } from './replay-pages.ts'

test('REPLAY-1 a resume during a replay moves the position and sends no second page before the first has drained', async () => {
  const stored = maxPageMessages + 100
  const { audience, at, post } = await openAudience(stored, { manualDrain: true })
  const subscriber = createSubscriber()
  audience.place(subscriber, at(0))
  await expect.poll(() => subscriber.received.at(-1)).toBe(maxPageMessages)
  for (const seq of [10, 20, stored - 10]) audience.place(subscriber, at(seq))
  await post(1)
  expect(subscriber.drainResolvers).toHaveLength(1)
  expect(subscriber.received.at(-1)).toBe(maxPageMessages)
  subscriber.drainResolvers.shift()?.()
  await expect.poll(() => subscriber.received.at(-1)).toBe(stored + 1)
  subscriber.drainResolvers.shift()?.()
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received).toStrictEqual([
    at(0),
    ...seqs(1, maxPageMessages),
    at(stored - 10),
    ...seqs(stored - 9, stored + 2),
  ])
})

test('REPLAY-3 a replay that cannot read the disk is retried without a new message', async () => {
  const { audience, at, post, failReads, failures } = await openAudience(5)
  const subscriber = createSubscriber()
  failReads(true)
  audience.place(subscriber, at(2))
  await expect.poll(failures).toBeGreaterThan(1)
  expect(isLive(subscriber)).toBe(false)
  failReads(false)
  await expect.poll(() => subscriber.received).toStrictEqual([at(2), ...seqs(3, 5)])
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received.at(-1)).toBe(6)
})

test('REPLAY-4 a gap in the log is reported once by a position at the head, and delivery continues', async () => {
  const { audience, at, post, addGap } = await openAudience(20)
  addGap(8)
  const [before, inside] = [createSubscriber(), createSubscriber()]
  audience.place(before, at(2))
  audience.place(inside, at(7))
  await expect.poll(() => isLive(before) && isLive(inside)).toBe(true)
  await post(1)
  expect(before.received).toStrictEqual([at(2), ...seqs(3, 7), at(20), 21])
  expect(inside.received).toStrictEqual([at(7), at(20), 21])
})

test('REPLAY-4 a gap at the oldest message of the log is reported once, and delivery continues at the head', async () => {
  const { audience, at, post, addGap } = await openAudience(5)
  addGap(1)
  const subscriber = createSubscriber()
  onTestFinished(() => audience.leave(subscriber))
  audience.place(subscriber, at(0))
  await expect.poll(() => subscriber.received.length).toBeGreaterThan(1)
  expect(subscriber.received).toStrictEqual([at(0), at(5)])
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received).toStrictEqual([at(0), at(5), 6])
})

test('REPLAY-4 an empty page is reported as a gap and does not cause a loop', async () => {
  const { audience, at, post, addGap } = await openAudience(5)
  addGap(0)
  const subscriber = createSubscriber()
  audience.place(subscriber, at(2))
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received).toStrictEqual([at(2), at(5), 6])
})

test('REPLAY-5 subscribers at the same position share one read for each page', async () => {
  const { audience, at, reads } = await openAudience(2 * maxPageMessages)
  const subscribers = Array.from({ length: 50 }, (_, index) => createSubscriber({ address: `192.0.2.${index}` }))
  for (const subscriber of subscribers) audience.place(subscriber, at(0))
  await expect.poll(() => subscribers.every(isLive)).toBe(true)
  for (const { received } of subscribers) expect(received).toStrictEqual([at(0), ...seqs(1, 2 * maxPageMessages)])
  expect(reads()).toBe(2)
})

test('REPLAY-5 few reads of the log run at once', async () => {
  const { audience, at, reads, mostConcurrentReads } = await openAudience(10)
  const subscribers = seqs(0, 9).map((index) => createSubscriber({ address: `192.0.${index}.1` }))
  for (const [seq, subscriber] of subscribers.entries()) audience.place(subscriber, at(seq))
  await expect.poll(() => subscribers.every(isLive)).toBe(true)
  expect([reads(), mostConcurrentReads()]).toStrictEqual([10, maxConcurrentReads])
})

test('REPLAY-5 a page that was prepared before newer messages is not sent again: a new page contains them all', async () => {
  const pages: number[] = []
  const { audience, at, post } = await openAudience(0, { onPage: (bytes) => pages.push(bytes) })
  for (const count of [1, 5]) {
    await post(count)
    const subscriber = createSubscriber()
    audience.place(subscriber, at(0))
    await expect.poll(() => isLive(subscriber)).toBe(true)
  }
  expect(pages).toHaveLength(2)
})

test('DELIVERY-4 after a break of the log, pages that were prepared before it are read again', async () => {
  const { audience, at, reads, logEvents } = await openAudience(20)
  const [before, after] = [createSubscriber(), createSubscriber()]
  audience.place(before, at(0))
  await expect.poll(() => isLive(before)).toBe(true)
  expect(reads()).toBe(1)
  logEvents.onLogBroken({ ...at(20), oldest: 1, head: 20 })
  audience.place(after, at(0))
  await expect.poll(() => isLive(after)).toBe(true)
  expect(after.received).toStrictEqual([at(0), ...seqs(1, 20)])
  expect(reads()).toBe(2)
})

test('DELIVERY-4 after a break of the log, messages that were in memory are read from the log', async () => {
  const { audience, at, reads, post, logEvents } = await openAudience(0)
  await post(20)
  const [before, after] = [createSubscriber(), createSubscriber()]
  audience.place(before, at(0))
  await expect.poll(() => isLive(before)).toBe(true)
  expect(reads()).toBe(0)
  logEvents.onLogBroken({ ...at(20), oldest: 1, head: 20 })
  audience.place(after, at(0))
  await expect.poll(() => isLive(after)).toBe(true)
  expect(after.received).toStrictEqual([at(0), ...seqs(1, 20)])
  expect(reads()).toBe(1)
})

test('REPLAY-1 a page stays within its byte limit, from memory and from the log, whatever the text', async () => {
  const pages: number[] = []
  const text = '\u0001'.repeat(maxMessageCharacters)
  const count = Math.floor(readLimits.maxCharacters / text.length)
  const perPage = Math.floor(maxPageBytes / frameBytes(encodePayload(entry(text).message)))
  for (const stored of [0, count]) {
    const { audience, at, post } = await openAudience(stored, {
      onPage: (bytes) => pages.push(bytes),
      text,
    })
    await post(count - stored)
    const subscriber = createSubscriber()
    audience.place(subscriber, at(0))
    await expect.poll(() => isLive(subscriber) && subscriber.received.length > 1).toBe(true)
    expect(subscriber.received).toStrictEqual([at(0), ...seqs(1, count)])
  }
  expect(Math.max(...pages)).toBeLessThanOrEqual(maxPageBytes)
  expect(pages).toHaveLength(2 * Math.ceil(count / perPage))
})

test('LIMITS-9 a requested replay over its budget is delayed and complete; later messages are not charged', async () => {
  // The test advances a fake clock, and `expect.poll` advances it a little as well.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const charged: number[] = []
  let waitMs = 1e6
  const [subscriber, other] = [createSubscriber(), createSubscriber()]
  const replayBudget = {
    take: () => true,
    reserve(owner: object, bytes: number) {
      if (owner === other) return 0
      charged.push(bytes)
      return waitMs
    },
  }
  const { audience, at, post } = await openAudience(maxPageMessages * 2, { replayBudget })
  for (const one of [subscriber, other]) audience.place(one, at(0))
  await post(5)
  await expect.poll(() => isLive(other)).toBe(true)
  expect(subscriber.received).toStrictEqual([at(0)])
  await expect.poll(() => vi.advanceTimersByTimeAsync(waitMs).then(() => isLive(subscriber))).toBe(true)
  for (const { received } of [subscriber, other]) {
    expect(received).toStrictEqual([at(0), ...seqs(1, maxPageMessages * 2 + 5)])
  }
  const chargedBefore = charged.length
  expect(charged.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(maxPageMessages * 2 * 50)
  waitMs = 1e9
  subscriber.isBehind = true
  await post(1)
  await expect.poll(() => subscriber.received.at(-1)).toBe(maxPageMessages * 2 + 6)
  expect(charged).toHaveLength(chargedBefore)
})

test('LIMITS-9 a resume that arrives while a replay waits for its budget does not reserve a second page', async () => {
  const reserved: number[] = []
  const replayBudget = {
    take: () => true,
    reserve: (_owner: object, bytes: number) => {
      reserved.push(bytes)
      return 20
    },
  }
  const { audience, at } = await openAudience(maxPageMessages, { replayBudget })
  const subscriber = createSubscriber()
  audience.place(subscriber, at(0))
  audience.place(subscriber, at(10))
  await expect.poll(() => isLive(subscriber)).toBe(true)
  expect(subscriber.received).toStrictEqual([at(0), at(10), ...seqs(11, maxPageMessages)])
  // The replay reserves the bytes of a page once, and corrects the reservation once when the size is known.
  expect(reserved).toHaveLength(2)
})

test('LIMITS-9 the client that causes a read of the log is charged for a full page, even if it moves during the read', async () => {
  let charged = 0
  const replayBudget = {
    take: () => true,
    reserve(_owner: object, bytes: number) {
      charged += bytes
      return 0
    },
  }
  const { audience, at, reads } = await openAudience(20, { replayBudget })
  const [subscriber, second] = [createSubscriber(), createSubscriber()]
  audience.place(subscriber, at(0))
  while (reads() === 0) await Promise.resolve()
  audience.place(subscriber, at(10))
  await expect.poll(() => isLive(subscriber)).toBe(true)
  expect(subscriber.received).toStrictEqual([at(0), at(10), ...seqs(11, 20)])
  expect(reads()).toBe(2)
  expect(charged).toBe(2 * maxPageBytes)
  audience.place(second, at(10))
  await expect.poll(() => isLive(second)).toBe(true)
  expect(reads()).toBe(2)
  expect(charged).toBeLessThan(2.1 * maxPageBytes)
})
