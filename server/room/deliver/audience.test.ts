import { expect, test } from 'vitest'
import { createSubscriber, isLive, openAudience, seqs } from './audience.suite.ts'
import { entry, keepAll } from '../log-fixture.suite.ts'
import { maxPageMessages as page } from './replay-pages.ts'

test('DELIVERY-3 a subscriber that reconnects gets missed messages page by page, then live ones, without gap or overlap', async () => {
  const { audience, at, post } = await openAudience(2 * page + 50, { manualDrain: true })
  const subscriber = createSubscriber()
  audience.place(subscriber, at(0))
  await expect.poll(() => subscriber.received).toStrictEqual([at(0), ...seqs(1, page)])
  await post(3)
  expect(subscriber.received.at(-1)).toBe(page)
  for (const last of [2 * page, 2 * page + 53]) {
    subscriber.drainResolvers.shift()?.()
    await expect.poll(() => subscriber.received.at(-1)).toBe(last)
  }
  await post(2)
  expect(subscriber.received.at(-1)).toBe(2 * page + 53)
  subscriber.drainResolvers.shift()?.()
  await expect.poll(() => subscriber.received.at(-1)).toBe(2 * page + 55)
  subscriber.drainResolvers.shift()?.()
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received).toStrictEqual([at(0), ...seqs(1, 2 * page + 56)])
})

test('DELIVERY-4 when the log is trimmed during a replay, the subscriber is notified and gets every message that is left', async () => {
  const { audience, at, post } = await openAudience(3 * page, {
    retention: { ...keepAll, maxMessages: 3 * page },
    manualDrain: true,
  })
  const subscriber = createSubscriber()
  audience.place(subscriber, at(0))
  await expect.poll(() => subscriber.received.at(-1)).toBe(page)
  await post(3 * page)
  const isLiveAfterDrain = () => {
    subscriber.drainResolvers.shift()?.()
    return isLive(subscriber)
  }
  await expect.poll(isLiveAfterDrain).toBe(true)
  await post(1)
  expect(subscriber.received).toStrictEqual([
    at(0),
    ...seqs(1, page),
    at(3 * page),
    ...seqs(3 * page + 1, 6 * page + 1),
  ])
})

test('DELIVERY-4 a subscriber whose cursor is older than the retention is notified and gets every retained message', async () => {
  const { audience, at, post } = await openAudience(30, { retention: { ...keepAll, maxMessages: 10 } })
  await post(1)
  const subscriber = createSubscriber()
  audience.place(subscriber, at(20))
  await expect.poll(() => isLive(subscriber)).toBe(true)
  expect(subscriber.received).toStrictEqual([at(21), ...seqs(22, 31)])
})

test('FANOUT-7 a slow consumer gets pages as it reads, and misses nothing', async () => {
  const { audience, at, post } = await openAudience(0, { manualDrain: true })
  const [slow, other] = [createSubscriber(), createSubscriber()]
  for (const subscriber of [slow, other]) audience.place(subscriber, at(0))
  await post(2)
  slow.isBehind = true
  await post(2)
  await post(2)
  expect([slow.received.at(-1), other.received.at(-1)]).toStrictEqual([4, 6])
  slow.isBehind = false
  slow.drainResolvers.shift()?.()
  await expect.poll(() => slow.received.at(-1)).toBe(6)
  slow.drainResolvers.shift()?.()
  await expect.poll(() => isLive(slow)).toBe(true)
  await post(1)
  for (const { received } of [slow, other]) expect(received).toStrictEqual([at(0), ...seqs(1, 7)])
})

test('WIRE-1 a subscriber without positions gets messages with one argument, live and in replay', async () => {
  const { audience, at, post } = await openAudience(3)
  const subscriber = createSubscriber({ wantsPositions: false })
  audience.place(subscriber, at(1))
  await expect.poll(() => isLive(subscriber)).toBe(true)
  await post(1)
  expect(subscriber.received.slice(1)).toStrictEqual(['new', 'new', 'new 0'])
})

test('DELIVERY-3 a subscriber that left, or whose connection closed, gets nothing more', async () => {
  const { audience, at, post } = await openAudience(page + 100, { manualDrain: true })
  const [left, closed] = [createSubscriber(), createSubscriber()]
  audience.place(left, at(0))
  audience.place(closed, at(0))
  await expect.poll(() => [left.received.at(-1), closed.received.at(-1)]).toStrictEqual([page, page])
  audience.leave(left)
  closed.isOpen = false
  for (const subscriber of [left, closed]) subscriber.drainResolvers.shift()?.()
  await post(1)
  expect([left.received.at(-1), closed.received.at(-1)]).toStrictEqual([page, page])
})

test('DELIVERY-3 a resume of a subscriber that left has no effect', async () => {
  const { audience, at, post } = await openAudience(3)
  const subscriber = createSubscriber()
  audience.place(subscriber, at(3))
  audience.leave(subscriber)
  audience.place(subscriber, at(1))
  await post(1)
  expect(subscriber.received).toStrictEqual([at(3)])
  expect(subscriber.subscription.state).toBe('closed')
})

test('DELIVERY-4 when the epoch changes, live and replaying subscribers are notified and get every message of the new log', async () => {
  const { audience, logEvents, at } = await openAudience(page + 100, { manualDrain: true })
  const [live, plain] = [createSubscriber(), createSubscriber({ wantsPositions: false })]
  const [paging, reading] = [createSubscriber(), createSubscriber()]
  audience.place(live, at(page + 100))
  audience.place(plain, at(page + 100))
  audience.place(paging, at(0))
  await expect.poll(() => paging.received.at(-1)).toBe(page)
  // The log is still reading the page of this subscriber when the epoch changes.
  audience.place(reading, at(50))
  logEvents.onLogBroken({ epoch: 'another', oldest: 8, head: 7 })
  const post = (seq: number) =>
    logEvents.onStored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(8)
  const areLiveAfterDrain = () => {
    for (const { drainResolvers } of [paging, reading]) drainResolvers.shift()?.()
    return isLive(paging) && isLive(reading)
  }
  await expect.poll(areLiveAfterDrain).toBe(true)
  post(9)
  const here = (seq: number) => ({ epoch: 'another', seq })
  expect(live.received).toStrictEqual([at(page + 100), here(7), 8, 9])
  expect(plain.received.slice(-2)).toStrictEqual(['text 8', 'text 9'])
  expect(paging.received).toStrictEqual([at(0), ...seqs(1, page), here(7), 8, 9])
  expect(reading.received).toStrictEqual([at(50), here(7), 8, 9])
  // Messages of the previous epoch are no longer in memory.
  const late = createSubscriber()
  audience.place(late, here(7))
  const receivedAfterDrain = () => {
    late.drainResolvers.shift()?.()
    return late.received
  }
  await expect.poll(receivedAfterDrain).toStrictEqual([here(7), 8, 9])
})

test('DELIVERY-4 after a break in the same epoch, a subscriber continues at its position and gets no page twice', async () => {
  const { audience, logEvents, at, post } = await openAudience(page + 100, { manualDrain: true })
  const paging = createSubscriber()
  audience.place(paging, at(0))
  await expect.poll(() => paging.received.at(-1)).toBe(page)
  logEvents.onLogBroken({ ...at(page + 100), oldest: 1, head: page + 100 })
  paging.drainResolvers.shift()?.()
  await expect.poll(() => paging.received.at(-1)).toBe(page + 100)
  paging.drainResolvers.shift()?.()
  await expect.poll(() => isLive(paging)).toBe(true)
  await post(1)
  expect(paging.received).toStrictEqual([at(0), ...seqs(1, page), at(page), ...seqs(page + 1, page + 101)])
})

test('DELIVERY-4 a resume with a cursor of the previous epoch continues at the current position', async () => {
  const { audience, logEvents, at } = await openAudience(3)
  const subscriber = createSubscriber()
  audience.place(subscriber, at(3))
  logEvents.onLogBroken({ epoch: 'another', oldest: 1, head: 0 })
  const here = (seq: number) => ({ epoch: 'another', seq })
  const post = (seq: number) =>
    logEvents.onStored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(1)
  subscriber.isBehind = true
  post(2)
  audience.place(subscriber, at(3))
  subscriber.isBehind = false
  await expect.poll(() => isLive(subscriber)).toBe(true)
  expect(subscriber.received.slice(1)).toStrictEqual([here(0), 1, here(1), 2])
})

test('DELIVERY-4 after a break in the same epoch, a subscriber continues at the cursor of its pending resume', async () => {
  const { audience, logEvents, at } = await openAudience(page + 10, { manualDrain: true })
  const paging = createSubscriber()
  audience.place(paging, at(0))
  await expect.poll(() => paging.received.at(-1)).toBe(page)
  audience.place(paging, at(page + 8))
  logEvents.onLogBroken({ ...at(page + 10), oldest: 1, head: page + 10 })
  paging.drainResolvers.shift()?.()
  await expect.poll(() => paging.received.at(-1)).toBe(page + 10)
  expect(paging.received.slice(page + 1)).toStrictEqual([at(page + 8), page + 9, page + 10])
})

test('DELIVERY-4 a position of the previous epoch is not taken for a position of the new one', async () => {
  const { audience, logEvents, at } = await openAudience(3)
  const live = createSubscriber()
  audience.place(live, at(3))
  logEvents.onLogBroken({ epoch: 'another', oldest: 11, head: 10 })
  await expect.poll(() => isLive(live)).toBe(true)
  expect(live.received).toStrictEqual([at(3), { epoch: 'another', seq: 10 }])
})

test('DELIVERY-4 a subscriber that has seen messages of a lost term continues where the log was rolled back, and is notified', async () => {
  const { audience, at, lineage, post } = await openAudience(30)
  const [{ id }] = lineage
  const [setBack, continuous] = [createSubscriber(), createSubscriber()]
  // The lost term started when the log had 10 messages. The log was then rolled back to its state before that term.
  audience.place(setBack, { ...at(25), term: `lost.11.${id.split('.', 1)[0]}` })
  audience.place(continuous, { ...at(25), term: id })
  await expect.poll(() => isLive(setBack) && isLive(continuous)).toBe(true)
  await post(1)
  expect(setBack.received).toStrictEqual([at(10), ...seqs(11, 31)])
  expect(continuous.received).toStrictEqual([at(25), ...seqs(26, 31)])
})

test('DELIVERY-3 the log catches up only for a subscriber that has received more than this process', async () => {
  const { audience, at, remove, catchUps } = await openAudience(5)
  await remove([1])
  const more = [at(6), { ...at(5), removals: 2 }]
  for (const position of [at(5), at(2), { ...at(5), removals: 1 }, ...more]) {
    const subscriber = createSubscriber({ removals: 0 })
    audience.place(subscriber, position)
    await expect.poll(() => isLive(subscriber)).toBe(true)
  }
  expect(catchUps).toStrictEqual(more)
})
