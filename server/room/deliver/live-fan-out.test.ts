import { expect, test } from 'vitest'
import type { ChatMessage } from '../../../contract/messages.ts'
import { createSubscriber, isLive, nextSeqOf, openAudience, seqs } from './audience.suite.ts'
import { createLiveFanOut } from './live-fan-out.ts'
import { encodePayload } from './message-packets.ts'
import { defaultSlicing, maxChunkBytes } from './slicing.ts'

const payload = (message: string) => encodePayload({ username: 'a', message, createdTime: 1 } satisfies ChatMessage)
const numbered = (first: number, last: number) => seqs(first, last).map((seq) => ({ seq, payload: payload('hello') }))
const onePerSlice = { sliceMs: 0, chunkSize: 1 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('FANOUT-10 the event loop runs between the slices of a batch', async () => {
  const got: string[] = []
  const fanOut = createLiveFanOut<string>({
    onBatchWritten: () => undefined,
    subscribers: () => ['a', 'b', 'c'],
    write: (chunk) => got.push(...chunk),
    slicing: onePerSlice,
  })
  fanOut.add(numbered(1, 1))
  expect(got).toStrictEqual(['a'])
  await nextTurn()
  expect(got).toStrictEqual(['a', 'b'])
  await fanOut.whenWritten()
  expect(got).toStrictEqual(['a', 'b', 'c'])
})

test('FANOUT-10 messages stored during a fan-out form the next batch, in the same order for all subscribers', async () => {
  const got = new Map<string, number[]>()
  let writes = 0
  const fanOut = createLiveFanOut<string>({
    onBatchWritten: () => undefined,
    subscribers: () => ['a', 'b', 'c'],
    write(chunk, messages) {
      writes++
      for (const subscriber of chunk)
        got.set(subscriber, [...(got.get(subscriber) ?? []), ...messages.map(({ seq }) => seq)])
    },
    slicing: onePerSlice,
  })
  for (let seq = 1; seq <= 5; seq++) fanOut.add(numbered(seq, seq))
  await fanOut.whenWritten()
  for (const subscriber of ['a', 'b', 'c']) expect(got.get(subscriber)).toStrictEqual([1, 2, 3, 4, 5])
  expect(writes).toBe(6)
})

test('FANOUT-10 a batch stays within its byte limit, and messages above the queue limit are left to replay', async () => {
  const sizes: number[] = []
  const fanOut = createLiveFanOut<string>({
    onBatchWritten: () => undefined,
    subscribers: () => ['a'],
    write: (_chunk, messages) => sizes.push(messages.length),
    slicing: onePerSlice,
  })
  const large = (seq: number) => ({ seq, payload: payload('x'.repeat(4_000)) })
  fanOut.add([large(1)])
  fanOut.add(seqs(2, 201).map(large))
  await fanOut.whenWritten()
  expect(Math.max(...sizes) * 4_000).toBeLessThan(256 * 1_024)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(201)
  fanOut.add([large(202)])
  fanOut.add(seqs(203, 5_000).map(large))
  await fanOut.whenWritten()
  // The fan-out writes only the newest of the messages above the limit.
  expect(sizes.reduce((sum, size) => sum + size)).toBe(203)
})

test('FANOUT-10 a large batch is written to fewer subscribers at once', async () => {
  const bytesWritten: number[] = []
  const fanOut = createLiveFanOut<number>({
    onBatchWritten: () => undefined,
    subscribers: () => seqs(1, 1_000),
    write: (chunk, messages) => bytesWritten.push(chunk.length * messages.length * 4_000),
    slicing: { ...defaultSlicing, sliceMs: 0 },
  })
  fanOut.add(seqs(1, 50).map((seq) => ({ seq, payload: payload('x'.repeat(4_000)) })))
  await fanOut.whenWritten()
  expect(Math.max(...bytesWritten)).toBeLessThan(maxChunkBytes)
  expect(bytesWritten.reduce((sum, bytes) => sum + bytes)).toBe(1_000 * 50 * 4_000)
})

test('FANOUT-10 whenWritten does not wait for messages that are left to replay', async () => {
  const fanOut = createLiveFanOut<string>({
    onBatchWritten: () => undefined,
    subscribers: () => ['a', 'b'],
    write: () => undefined,
    slicing: onePerSlice,
  })
  fanOut.add(numbered(1, 1))
  fanOut.add(numbered(2, 2))
  const written = fanOut.whenWritten()
  fanOut.add(seqs(3, 5_000).map((seq) => ({ seq, payload: payload('x'.repeat(4_000)) })))
  await written
})

test('FANOUT-10 subscribers get all messages of an oversized burst, although no message follows it', async () => {
  const { audience, at, post } = await openAudience(2, { slicing: onePerSlice, text: 'x'.repeat(4_000) })
  const [first, last] = [createSubscriber(), createSubscriber()]
  for (const subscriber of [first, last]) audience.place(subscriber, at(2))
  await post(4_999)
  for (const { received } of [first, last]) {
    await expect.poll(() => received.filter((one) => typeof one === 'number')).toStrictEqual(seqs(3, 5_001))
  }
})

test('FANOUT-10 joins, resumes and leaves during a fan-out neither lose nor repeat a message', async () => {
  const { audience, at, post } = await openAudience(2, { slicing: onePerSlice })
  const [first, resuming, leaving, slow, last] = Array.from({ length: 5 }, () => createSubscriber())
  if (!first || !resuming || !leaving || !slow || !last) throw new Error('five subscribers')
  for (const subscriber of [first, resuming, leaving, slow, last]) audience.place(subscriber, at(2))
  await post(1)
  expect([first, last].map(nextSeqOf)).toStrictEqual([4, 3])
  // The fan-out is not complete: only the first subscriber has the message.
  audience.place(resuming, at(2))
  audience.leave(leaving)
  slow.isBehind = true
  const [returning, fresh] = [createSubscriber(), createSubscriber()]
  audience.place(returning, at(1))
  audience.place(fresh, 'head')
  await post(2)
  await audience.fanOutDone()
  slow.isBehind = false
  await expect.poll(() => [resuming, slow, returning].map(isLive)).toStrictEqual([true, true, true])
  await post(1)
  await audience.fanOutDone()
  const seqsOf = ({ received }: typeof first) => received.filter((one) => typeof one === 'number')
  for (const subscriber of [first, slow, last, resuming]) expect(seqsOf(subscriber)).toStrictEqual([3, 4, 5, 6])
  expect(seqsOf(returning)).toStrictEqual([2, 3, 4, 5, 6])
  expect(seqsOf(fresh)).toStrictEqual([4, 5, 6])
  expect(seqsOf(leaving)).toStrictEqual([])
})
