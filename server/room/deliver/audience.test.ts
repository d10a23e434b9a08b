import { expect, test } from 'vitest'
import { createSubscriber, keepAll, openAudience, seqs } from './audience.suite.ts'
import { entry } from '../message-log.suite.ts'
import { maxPageMessages as page } from './replay-pages.ts'

test('DELIVERY-3 a returning reader gets what it missed page by page, then goes live, without gap or overlap', async () => {
  const { audience, at, post } = await openAudience(2 * page + 50, { manualDrain: true })
  const reader = createSubscriber()
  audience.place(reader, at(0))
  await expect.poll(() => reader.received).toStrictEqual([at(0), ...seqs(1, page)])
  await post(3)
  expect(reader.received.at(-1)).toBe(page)
  for (const last of [2 * page, 2 * page + 53]) {
    reader.drainResolvers.shift()?.()
    await expect.poll(() => reader.received.at(-1)).toBe(last)
  }
  await post(2)
  expect(reader.received.at(-1)).toBe(2 * page + 53)
  reader.drainResolvers.shift()?.()
  await expect.poll(() => reader.received.at(-1)).toBe(2 * page + 55)
  reader.drainResolvers.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.received).toStrictEqual([at(0), ...seqs(1, 2 * page + 56)])
})

test('DELIVERY-4 trimmed under a replay: the reader is confirmed at the head, never a silent gap', async () => {
  const { audience, at, post } = await openAudience(3 * page, {
    retention: { ...keepAll, maxMessages: 3 * page },
    manualDrain: true,
  })
  const reader = createSubscriber()
  audience.place(reader, at(0))
  await expect.poll(() => reader.received.at(-1)).toBe(page)
  await post(3 * page)
  reader.drainResolvers.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.received).toStrictEqual([at(0), ...seqs(1, page), at(6 * page), 6 * page + 1])
})

test('FANOUT-7 who has too much unread is served page by page, as it reads, and misses nothing', async () => {
  const { audience, at, post } = await openAudience(0, { manualDrain: true })
  const [slow, other] = [createSubscriber(), createSubscriber()]
  for (const reader of [slow, other]) audience.place(reader, at(0))
  await post(2)
  slow.isBehind = true
  await post(2)
  await post(2)
  expect([slow.received.at(-1), other.received.at(-1)]).toStrictEqual([4, 6])
  slow.isBehind = false
  slow.drainResolvers.shift()?.()
  await expect.poll(() => slow.received.at(-1)).toBe(6)
  slow.drainResolvers.shift()?.()
  await expect.poll(() => slow.live).toBe(true)
  await post(1)
  for (const { received } of [slow, other]) expect(received).toStrictEqual([at(0), ...seqs(1, 7)])
})

test('WIRE-1 who did not ask for positions gets messages in one argument, live and in replay', async () => {
  const { audience, at, post } = await openAudience(3)
  const reader = createSubscriber({ wantsPositions: false })
  audience.place(reader, at(1))
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.received.slice(1)).toStrictEqual(['new', 'new', 'new 0'])
})

test('DELIVERY-3 one who has left, or whose connection has closed, gets nothing more', async () => {
  const { audience, at, post } = await openAudience(page + 100, { manualDrain: true })
  const [left, closed] = [createSubscriber(), createSubscriber()]
  audience.place(left, at(0))
  audience.place(closed, at(0))
  await expect.poll(() => [left.received.at(-1), closed.received.at(-1)]).toStrictEqual([page, page])
  audience.leave(left)
  closed.isOpen = false
  for (const reader of [left, closed]) reader.drainResolvers.shift()?.()
  await post(1)
  expect([left.received.at(-1), closed.received.at(-1)]).toStrictEqual([page, page])
})

test('DELIVERY-4 a log that breaks off: all are placed at its head and told, whatever they were doing, and the room goes on', async () => {
  const { audience, published, at } = await openAudience(page + 100, { manualDrain: true })
  const [live, plain] = [createSubscriber(), createSubscriber({ wantsPositions: false })]
  const [paging, reading] = [createSubscriber(), createSubscriber()]
  audience.place(live, at(page + 100))
  audience.place(plain, at(page + 100))
  audience.place(paging, at(0))
  await expect.poll(() => paging.received.at(-1)).toBe(page)
  // Its page is being read while the log breaks off.
  audience.place(reading, at(50))
  published.onLogBroken({ epoch: 'another', oldest: 8, head: 7 })
  const post = (seq: number) =>
    published.onStored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(8)
  paging.drainResolvers.shift()?.()
  await expect.poll(() => paging.live && reading.live).toBe(true)
  post(9)
  const here = (seq: number) => ({ epoch: 'another', seq })
  expect(live.received).toStrictEqual([at(page + 100), here(7), 8, 9])
  expect(plain.received.slice(-2)).toStrictEqual(['text 8', 'text 9'])
  expect(paging.received).toStrictEqual([at(0), ...seqs(1, page), here(8), 9])
  expect(reading.received).toStrictEqual([at(50), here(8), 9])
  // Nothing in memory is left of the log before.
  const late = createSubscriber()
  audience.place(late, here(7))
  await expect.poll(() => late.received).toStrictEqual([here(7), 8, 9])
})

test('DELIVERY-4 a log that goes on further ahead: who can still be served goes on where it stands, and gets no page twice', async () => {
  const { audience, published, at, post } = await openAudience(page + 100, { manualDrain: true })
  const paging = createSubscriber()
  audience.place(paging, at(0))
  await expect.poll(() => paging.received.at(-1)).toBe(page)
  published.onLogBroken({ ...at(page + 100), oldest: 1, head: page + 100 })
  paging.drainResolvers.shift()?.()
  await expect.poll(() => paging.received.at(-1)).toBe(page + 100)
  paging.drainResolvers.shift()?.()
  await expect.poll(() => paging.live).toBe(true)
  await post(1)
  expect(paging.received).toStrictEqual([at(0), ...seqs(1, page), at(page), ...seqs(page + 1, page + 101)])
})

test('DELIVERY-4 who asks by its place in the log before, and has been told of this one meanwhile, goes on where it stands', async () => {
  const { audience, published, at } = await openAudience(3)
  const reader = createSubscriber()
  audience.place(reader, at(3))
  published.onLogBroken({ epoch: 'another', oldest: 1, head: 0 })
  const here = (seq: number) => ({ epoch: 'another', seq })
  const post = (seq: number) =>
    published.onStored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(1)
  reader.isBehind = true
  post(2)
  audience.place(reader, at(3))
  reader.isBehind = false
  await expect.poll(() => reader.live).toBe(true)
  expect(reader.received.slice(1)).toStrictEqual([here(0), 1, here(1), 2])
})
