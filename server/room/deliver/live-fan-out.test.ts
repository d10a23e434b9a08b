import { expect, test } from 'vitest'
import type { ChatMessage } from '../../../contract/messages.ts'
import { createSubscriber, openAudience, seqs } from './audience.suite.ts'
import { createLiveFanOut } from './live-fan-out.ts'
import { encodePayload } from './message-packets.ts'

const payload = (message: string) => encodePayload({ username: 'a', message, createdTime: 1 } satisfies ChatMessage)
const numbered = (first: number, last: number) => seqs(first, last).map((seq) => ({ seq, payload: payload('hello') }))
const oneByOne = { sliceMs: 0, chunkSize: 1 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('FANOUT-10 between the slices of a flush the event loop has its turn', async () => {
  const got: string[] = []
  const flushes = createLiveFanOut<string>({
    onWritten: () => undefined,
    readers: () => ['a', 'b', 'c'],
    write: (chunk) => got.push(...chunk),
    slicing: oneByOne,
  })
  flushes.add(numbered(1, 1))
  expect(got).toStrictEqual(['a'])
  await nextTurn()
  expect(got).toStrictEqual(['a', 'b'])
  await flushes.written()
  expect(got).toStrictEqual(['a', 'b', 'c'])
})

test('FANOUT-10 what is stored during a flush leaves together after it, to everybody in the same order', async () => {
  const got = new Map<string, number[]>()
  let writes = 0
  const flushes = createLiveFanOut<string>({
    onWritten: () => undefined,
    readers: () => ['a', 'b', 'c'],
    write(chunk, messages) {
      writes++
      for (const reader of chunk) got.set(reader, [...(got.get(reader) ?? []), ...messages.map(({ seq }) => seq)])
    },
    slicing: oneByOne,
  })
  for (let seq = 1; seq <= 5; seq++) flushes.add(numbered(seq, seq))
  await flushes.written()
  for (const reader of ['a', 'b', 'c']) expect(got.get(reader)).toStrictEqual([1, 2, 3, 4, 5])
  expect(writes).toBe(6)
})

test('FANOUT-10 a flush stays within its bytes, and what nobody could be told in time is left to replay', async () => {
  const sizes: number[] = []
  const flushes = createLiveFanOut<string>({
    onWritten: () => undefined,
    readers: () => ['a'],
    write: (_chunk, messages) => sizes.push(messages.length),
    slicing: oneByOne,
  })
  const large = (seq: number) => ({ seq, payload: payload('x'.repeat(4_000)) })
  flushes.add([large(1)])
  flushes.add(seqs(2, 201).map(large))
  await flushes.written()
  expect(Math.max(...sizes) * 4_000).toBeLessThan(256 * 1_024)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(201)
  flushes.add([large(202)])
  flushes.add(seqs(203, 5_000).map(large))
  await flushes.written()
  // Of what was too much, only the newest.
  expect(sizes.reduce((sum, size) => sum + size)).toBe(203)
})

test('FANOUT-10 nobody waits for what is left to replay', async () => {
  const flushes = createLiveFanOut<string>({
    onWritten: () => undefined,
    readers: () => ['a', 'b'],
    write: () => undefined,
    slicing: oneByOne,
  })
  flushes.add(numbered(1, 1))
  flushes.add(numbered(2, 2))
  const written = flushes.written()
  flushes.add(seqs(3, 5_000).map((seq) => ({ seq, payload: payload('x'.repeat(4_000)) })))
  await written
})

test('FANOUT-10 who is left behind by too much at once gets all of it, though nothing more is said', async () => {
  const { audience, at, post } = await openAudience(2, { slicing: oneByOne, text: 'x'.repeat(4_000) })
  const [first, last] = [createSubscriber(), createSubscriber()]
  for (const reader of [first, last]) audience.place(reader, at(2))
  await post(4_999)
  for (const { received } of [first, last]) {
    await expect.poll(() => received.filter((one) => typeof one === 'number')).toStrictEqual(seqs(3, 5_001))
  }
})

test('FANOUT-10 whoever comes, asks again or leaves in the middle of a flush neither misses a message nor gets one twice', async () => {
  const { audience, at, post } = await openAudience(2, { slicing: oneByOne })
  const [first, asking, leaving, slow, last] = Array.from({ length: 5 }, () => createSubscriber())
  if (!first || !asking || !leaving || !slow || !last) throw new Error('five readers')
  for (const reader of [first, asking, leaving, slow, last]) audience.place(reader, at(2))
  await post(1)
  expect([first, last].map(({ next }) => next)).toStrictEqual([4, 3])
  // In the middle: the first has it, the others do not.
  audience.place(asking, at(2))
  audience.leave(leaving)
  slow.isBehind = true
  const [returning, fresh] = [createSubscriber(), createSubscriber()]
  audience.place(returning, at(1))
  audience.place(fresh, 'head')
  await post(2)
  await audience.fanOutDone()
  slow.isBehind = false
  await expect.poll(() => [asking, slow, returning].map(({ live }) => live)).toStrictEqual([true, true, true])
  await post(1)
  await audience.fanOutDone()
  const placesOf = ({ received }: typeof first) => received.filter((one) => typeof one === 'number')
  for (const reader of [first, slow, last, asking]) expect(placesOf(reader)).toStrictEqual([3, 4, 5, 6])
  expect(placesOf(returning)).toStrictEqual([2, 3, 4, 5, 6])
  expect(placesOf(fresh)).toStrictEqual([4, 5, 6])
  expect(placesOf(leaving)).toStrictEqual([])
})
