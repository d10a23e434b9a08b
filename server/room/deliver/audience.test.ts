import { expect, test } from 'vitest'
import { createReader, keepAll, openAudience, seqs } from './audience.suite.ts'
import { entry } from '../message-log.suite.ts'
import { maxPageMessages as page } from './replay-pages.ts'

test('DELIVERY-3 a returning reader gets what it missed page by page, then goes live, without gap or overlap', async () => {
  const { audience, at, post } = await openAudience(2 * page + 50, { manualDrain: true })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got).toStrictEqual([at(0), ...seqs(1, page)])
  await post(3)
  expect(reader.got.at(-1)).toBe(page)
  for (const last of [2 * page, 2 * page + 53]) {
    reader.drained.shift()?.()
    await expect.poll(() => reader.got.at(-1)).toBe(last)
  }
  await post(2)
  expect(reader.got.at(-1)).toBe(2 * page + 53)
  reader.drained.shift()?.()
  await expect.poll(() => reader.got.at(-1)).toBe(2 * page + 55)
  reader.drained.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, 2 * page + 56)])
})

test('DELIVERY-4 trimmed under a replay: the reader is confirmed at the head, never a silent gap', async () => {
  const { audience, at, post } = await openAudience(3 * page, {
    retention: { ...keepAll, maxMessages: 3 * page },
    manualDrain: true,
  })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got.at(-1)).toBe(page)
  await post(3 * page)
  reader.drained.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, page), at(6 * page), 6 * page + 1])
})

test('FANOUT-7 who has too much unread is served page by page, as it reads, and misses nothing', async () => {
  const { audience, at, post } = await openAudience(0, { manualDrain: true })
  const [slow, other] = [createReader(), createReader()]
  for (const reader of [slow, other]) audience.place(reader, at(0))
  await post(2)
  slow.behind = true
  await post(2)
  await post(2)
  expect([slow.got.at(-1), other.got.at(-1)]).toStrictEqual([4, 6])
  slow.behind = false
  slow.drained.shift()?.()
  await expect.poll(() => slow.got.at(-1)).toBe(6)
  slow.drained.shift()?.()
  await expect.poll(() => slow.live).toBe(true)
  await post(1)
  for (const { got } of [slow, other]) expect(got).toStrictEqual([at(0), ...seqs(1, 7)])
})

test('WIRE-1 who did not ask for positions gets messages in one argument, live and in replay', async () => {
  const { audience, at, post } = await openAudience(3)
  const reader = createReader({ wantsPositions: false })
  audience.place(reader, at(1))
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got.slice(1)).toStrictEqual(['new', 'new', 'new 0'])
})

test('DELIVERY-3 one who has left, or whose connection has closed, gets nothing more', async () => {
  const { audience, at, post } = await openAudience(page + 100, { manualDrain: true })
  const [left, closed] = [createReader(), createReader()]
  audience.place(left, at(0))
  audience.place(closed, at(0))
  await expect.poll(() => [left.got.at(-1), closed.got.at(-1)]).toStrictEqual([page, page])
  audience.leave(left)
  closed.open = false
  for (const reader of [left, closed]) reader.drained.shift()?.()
  await post(1)
  expect([left.got.at(-1), closed.got.at(-1)]).toStrictEqual([page, page])
})

test('DELIVERY-4 a log that breaks off: all are placed at its head and told, whatever they were doing, and the room goes on', async () => {
  const { audience, published, at } = await openAudience(page + 100, { manualDrain: true })
  const [live, plain] = [createReader(), createReader({ wantsPositions: false })]
  const [paging, reading] = [createReader(), createReader()]
  audience.place(live, at(page + 100))
  audience.place(plain, at(page + 100))
  audience.place(paging, at(0))
  await expect.poll(() => paging.got.at(-1)).toBe(page)
  // Its page is being read while the log breaks off.
  audience.place(reading, at(50))
  published.broken({ epoch: 'another', oldest: 8, head: 7 })
  const post = (seq: number) =>
    published.stored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(8)
  paging.drained.shift()?.()
  await expect.poll(() => paging.live && reading.live).toBe(true)
  post(9)
  const here = (seq: number) => ({ epoch: 'another', seq })
  expect(live.got).toStrictEqual([at(page + 100), here(7), 8, 9])
  expect(plain.got.slice(-2)).toStrictEqual(['text 8', 'text 9'])
  expect(paging.got).toStrictEqual([at(0), ...seqs(1, page), here(8), 9])
  expect(reading.got).toStrictEqual([at(50), here(8), 9])
  // Nothing in memory is left of the log before.
  const late = createReader()
  audience.place(late, here(7))
  await expect.poll(() => late.got).toStrictEqual([here(7), 8, 9])
})

test('DELIVERY-4 a log that goes on further ahead: who can still be served goes on where it stands, and gets no page twice', async () => {
  const { audience, published, at, post } = await openAudience(page + 100, { manualDrain: true })
  const paging = createReader()
  audience.place(paging, at(0))
  await expect.poll(() => paging.got.at(-1)).toBe(page)
  published.broken({ ...at(page + 100), oldest: 1, head: page + 100 })
  paging.drained.shift()?.()
  await expect.poll(() => paging.got.at(-1)).toBe(page + 100)
  paging.drained.shift()?.()
  await expect.poll(() => paging.live).toBe(true)
  await post(1)
  expect(paging.got).toStrictEqual([at(0), ...seqs(1, page), at(page), ...seqs(page + 1, page + 101)])
})

test('DELIVERY-4 who asks by its place in the log before, and has been told of this one meanwhile, goes on where it stands', async () => {
  const { audience, published, at } = await openAudience(3)
  const reader = createReader()
  audience.place(reader, at(3))
  published.broken({ epoch: 'another', oldest: 1, head: 0 })
  const here = (seq: number) => ({ epoch: 'another', seq })
  const post = (seq: number) =>
    published.stored({ epoch: 'another', messages: [{ seq, message: entry(`text ${seq}`).message }] })
  post(1)
  reader.behind = true
  post(2)
  audience.place(reader, at(3))
  reader.behind = false
  await expect.poll(() => reader.live).toBe(true)
  expect(reader.got.slice(1)).toStrictEqual([here(0), 1, here(1), 2])
})
