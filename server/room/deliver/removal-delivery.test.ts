import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { removedText } from '../../../contract/constants.ts'
import { createByteBudget } from '../../limits/byte-budget.ts'
import { createSubscriber, isLive, openAudience, seqs } from './audience.suite.ts'
import { createRemovalHistory } from '../removals.ts'
import { createPageTurns } from './page-turns.ts'
import { createRemovalDelivery, maxSeqsPerEvent } from './removal-delivery.ts'

test('MODERATION-6 live subscribers that request removals get each removal at once, and others get nothing', async () => {
  const { audience, at, post, remove } = await openAudience(3)
  const [page, other, plain] = [
    createSubscriber({ removals: 0 }),
    createSubscriber(),
    createSubscriber({ wantsPositions: false }),
  ]
  for (const subscriber of [page, other, plain]) audience.join(subscriber)
  await remove([2])
  await post(1)
  await remove([1, 2, 4])
  const start = { ...at(3), removals: 0 }
  expect(page.received).toStrictEqual([start, 'removals 1: 2', 4, 'removals 3: 1,4'])
  expect(other.received).toStrictEqual([at(3), 4])
  expect(plain.received).toStrictEqual([at(3), 'new 0'])
})

test('MODERATION-6 a returning subscriber gets the removals that it missed before the messages, in events of limited size', async () => {
  const { audience, at, remove } = await openAudience(600)
  await remove([3])
  await remove(seqs(11, 510))
  const returning = createSubscriber({ removals: 0 })
  audience.place(returning, { ...at(595), removals: 1 })
  await expect.poll(() => isLive(returning)).toBe(true)
  expect(returning.received).toStrictEqual([
    { ...at(595), removals: 1 },
    `removals ${1 + maxSeqsPerEvent}: ${seqs(11, 10 + maxSeqsPerEvent).join()}`,
    `removals ${1 + 2 * maxSeqsPerEvent}: ${seqs(11 + maxSeqsPerEvent, 10 + 2 * maxSeqsPerEvent).join()}`,
    `removals 501: ${seqs(11 + 2 * maxSeqsPerEvent, 510).join()}`,
    ...seqs(596, 600),
  ])
})

test('MODERATION-6 a newcomer gets the number of removals and none of them', async () => {
  const { audience, at, remove } = await openAudience(5)
  await remove([1, 2])
  const newcomer = createSubscriber({ removals: 0 })
  audience.join(newcomer)
  expect(newcomer.received).toStrictEqual([{ ...at(5), removals: 2 }])
})

test.each([
  ['without a number', (at: object) => at],
  ['with a number that the log has not reached', (at: object) => ({ ...at, removals: 9 })],
  ['of another epoch', (at: object) => ({ ...at, epoch: 'another', removals: 2 })],
])('MODERATION-6 a subscriber with a cursor %s gets all removals that are kept', async (_, change) => {
  const { audience, at, remove } = await openAudience(5)
  await remove([1, 2])
  const returning = createSubscriber({ removals: 0 })
  audience.place(returning, { ...at(5), ...change(at(5)) })
  await expect.poll(() => isLive(returning)).toBe(true)
  expect(returning.received[0]).toMatchObject({ removals: 0 })
  expect(returning.received[1]).toBe('removals 2: 1,2')
})

test('MODERATION-6 a subscriber in replay gets a removal after the page in flight', async () => {
  const { audience, at, remove } = await openAudience(300, { manualDrain: true })
  const slow = createSubscriber({ removals: 0 })
  audience.place(slow, { ...at(0), removals: 0 })
  await expect.poll(() => slow.drainResolvers.length).toBe(1)
  await remove([1, 299])
  expect(slow.received.at(-1)).toBe(200)
  for (const count of [2, 3]) {
    slow.drainResolvers.at(-1)?.()
    await expect.poll(() => slow.drainResolvers.length).toBe(count)
  }
  expect(slow.received.slice(201)).toStrictEqual(['removals 2: 1,299', ...seqs(201, 300)])
})

test('MODERATION-7 replay delivers a removed message without its text: from the log, from a cached page and from memory', async () => {
  const { audience, at, post, remove } = await openAudience(2, { text: 'secret' })
  await post(2)
  const replayFrom = async (seq: number) => {
    const plain = createSubscriber({ wantsPositions: false })
    audience.place(plain, at(seq))
    await expect.poll(() => isLive(plain)).toBe(true)
    return plain.received.slice(1)
  }
  expect(await replayFrom(0)).toStrictEqual(['secret', 'secret', 'secret 0', 'secret 1'])
  await remove([1, 3])
  expect(await replayFrom(0)).toStrictEqual([removedText, 'secret', removedText, 'secret 1'])
  expect(await replayFrom(2)).toStrictEqual([removedText, 'secret 1'])
})

test('MODERATION-7 a message that is removed while it waits for its fan-out is delivered without its text', async () => {
  const { audience, post, logEvents } = await openAudience(0, { text: 'secret', slicing: { sliceMs: 0, chunkSize: 1 } })
  const readers = seqs(1, 3).map(() => createSubscriber({ wantsPositions: false }))
  for (const reader of readers) audience.join(reader)
  // The first subscriber has received the message. The other subscribers wait for the next turns of the event loop.
  await post(1)
  logEvents.onRemoved({ removals: 1, seqs: [1] })
  await audience.fanOutDone()
  expect(readers.map(({ received }) => received.at(-1))).toStrictEqual(['secret 0', removedText, removedText])
})

test('FANOUT-10 removals that follow one another quickly do not keep the last subscriber waiting', async () => {
  const history = createRemovalHistory()
  const received = new Map<string, string[]>()
  const subscribers = ['a', 'b', 'c'].map((address) =>
    createSubscriber({ address, removals: 0, subscription: { state: 'live', epoch: 'e', nextSeq: 1 } }),
  )
  const removals = createRemovalDelivery({
    log: { removals: () => history },
    delivery: {
      writeLive(chunk, { packets }) {
        for (const { address } of chunk) received.set(address, [...(received.get(address) ?? []), ...packets])
      },
      writeAndDrain: () => Promise.resolve(),
      isOpen: () => true,
    },
    turns: createPageTurns(createByteBudget(0)),
    subscribers: () => subscribers,
    slicing: { sliceMs: 0, chunkSize: 1 },
  })
  for (let count = 1; count <= 3; count++) {
    history.add({ removals: count, seqs: [count] })
    removals.fanOut()
    await setImmediate()
  }
  expect([...received.keys()]).toStrictEqual(['a', 'b', 'c'])
  await expect.poll(() => subscribers.map((subscriber) => subscriber.removals)).toStrictEqual([3, 3, 3])
  for (const packets of received.values())
    expect(
      packets
        .join()
        .match(/(?<=,\[)[\d,]+/g)
        ?.join(),
    ).toBe('1,2,3')
})
