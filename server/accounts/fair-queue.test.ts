import { expect, test } from 'vitest'
import { RefusalError } from '../refusal-error.ts'
import { createFairQueue } from './fair-queue.ts'

const refusal = () => new RefusalError('unavailable', 'full', 2_000)

/** Work that ends when it is told to, and a record of what was started. */
function createWork() {
  const started: string[] = []
  const ends: (() => void)[] = []
  return {
    started,
    async endNext() {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
    named: (name: string) => () =>
      new Promise<string>((resolve) => {
        started.push(name)
        ends.push(() => resolve(name))
      }),
  }
}

const outcomes = (results: Promise<unknown>[]) =>
  Promise.all(results.map((result) => result.catch((error: RefusalError) => error.message)))

test('SECURITY-2 no more at a time than allowed, and what does not fit the queue is refused', async () => {
  const queue = createFairQueue({ concurrency: 2, maxQueued: 1 }, refusal)
  const work = createWork()
  const results = ['a', 'b', 'c', 'd'].map((name) => queue.run('one', work.named(name)))
  await expect(results[3]).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 2_000 })
  expect(work.started).toStrictEqual(['a', 'b'])
  for (let i = 0; i < 3; i++) await work.endNext()
  expect(await Promise.all(results.slice(0, 3))).toStrictEqual(['a', 'b', 'c'])
})

test('SECURITY-3 owners take turns, so one who asks often does not keep others waiting', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 100 }, refusal)
  const work = createWork()
  for (let i = 0; i < 20; i++) void queue.run('abuser', work.named(`abuser ${i}`))
  void queue.run('visitor', work.named('visitor'))
  for (let i = 0; i < 3; i++) await work.endNext()
  expect(work.started.slice(0, 4)).toContain('visitor')
})

test('SECURITY-3 when the queue is full of one owner, another still gets a place in it', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 4 }, refusal)
  const work = createWork()
  const abuse = outcomes([0, 1, 2, 3, 4].map((i) => queue.run('abuser', work.named(`abuser ${i}`))))
  const visit = queue.run('visitor', work.named('visitor'))
  for (let i = 0; i < 5; i++) await work.endNext()
  expect(await visit).toBe('visitor')
  expect(await abuse).toStrictEqual(['abuser 0', 'abuser 1', 'abuser 2', 'abuser 3', 'full'])
})

test('SECURITY-2 work that fails gives its place on', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 4 }, refusal)
  const failed = queue.run('one', () => Promise.reject(new Error('no')))
  const next = queue.run('one', async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
  expect(await queue.run('one', async () => 'again')).toBe('again')
  expect(queue.queued()).toBe(0)
})
