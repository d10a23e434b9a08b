import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RejectionError } from '../base/rejection-error.ts'
import { createFairQueue } from './fair-queue.ts'

const createRejection = () => new RejectionError('unavailable', 'full', 2_000)

/** Creates tasks that end when the test calls `endNext`, and records the names of the started tasks. */
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
  Promise.all(results.map((result) => result.catch((error: RejectionError) => error.message)))

test('SECURITY-2 the queue limits concurrency and rejects tasks that do not fit', async () => {
  const queue = createFairQueue({ concurrency: 2, maxQueued: 1 }, createRejection)
  const work = createWork()
  const results = ['a', 'b', 'c', 'd'].map((name) => queue.run(['one'], work.named(name)))
  await expect(results[3]).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 2_000 })
  expect(work.started).toStrictEqual(['a', 'b'])
  for (let i = 0; i < 3; i++) await work.endNext()
  expect(await Promise.all(results.slice(0, 3))).toStrictEqual(['a', 'b', 'c'])
})

test('SECURITY-3 owners take turns, so an owner with many tasks does not delay others', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 100 }, createRejection)
  const work = createWork()
  for (let i = 0; i < 20; i++) void queue.run(['abuser'], work.named(`abuser ${i}`))
  void queue.run(['visitor'], work.named('visitor'))
  for (let i = 0; i < 3; i++) await work.endNext()
  expect(work.started.slice(0, 4)).toContain('visitor')
})

test('SECURITY-3 when one owner fills the queue, a task of another owner replaces its newest task', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 4 }, createRejection)
  const work = createWork()
  const abuse = outcomes([0, 1, 2, 3, 4].map((i) => queue.run(['abuser'], work.named(`abuser ${i}`))))
  const visit = queue.run(['visitor'], work.named('visitor'))
  for (let i = 0; i < 5; i++) await work.endNext()
  expect(await visit).toBe('visitor')
  expect(await abuse).toStrictEqual(['abuser 0', 'abuser 1', 'abuser 2', 'abuser 3', 'full'])
})

test('SECURITY-2 a failed task lets the next one start', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 4 }, createRejection)
  const failed = queue.run(['one'], () => Promise.reject(new Error('no')))
  const next = queue.run(['one'], async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
  expect(await queue.run(['one'], async () => 'again')).toBe('again')
  expect(queue.queued()).toBe(0)
})

const subnet = (index: number) => ['2001:db8:1/48', `2001:db8:1:${index >> 8}xx/56`, `2001:db8:1:${index}`]

test('LIMITS-1 networks take turns: a visitor waits for one of a thousand addresses of a /48, not for all of them', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 5_000 }, createRejection)
  const work = createWork()
  for (let i = 0; i < 1_000; i++) void queue.run(subnet(i), work.named(`subnet ${i}`))
  void queue.run(['198.51.100/24', '198.51.100.1'], work.named('visitor'))
  for (let i = 0; i < 2; i++) await work.endNext()
  expect(work.started).toContain('visitor')
})

test('LIMITS-1 when one /48 fills the queue, tasks of other networks and of its other subnets are still queued', async () => {
  const queue = createFairQueue({ concurrency: 1, maxQueued: 100 }, createRejection)
  const work = createWork()
  const settled: string[] = []
  const ask = (name: string, owner: string[]) =>
    void queue.run(owner, work.named(name)).then(
      () => settled.push(name),
      () => settled.push(`${name} rejected`),
    )
  for (let i = 0; i < 101; i++) ask(`subnet ${i}`, subnet(i))
  ask('neighbour', subnet(0xff00))
  for (let i = 0; i < 40; i++) ask(`visitor ${i}`, [`198.51.${i}/24`, `198.51.${i}.1`])
  for (let i = 0; i < 200 && queue.queued() > 0; i++) await work.endNext()
  await work.endNext()
  for (let i = 0; i < 40; i++) expect(settled).toContain(`visitor ${i}`)
  expect(settled).toContain('neighbour')
  expect(settled.filter((name) => name.endsWith('rejected'))).toHaveLength(41)
  expect(queue.queued()).toBe(0)
})

test('SECURITY-2 for any sequence of tasks, the queue counts correctly and settles every task', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: 40 }), async (owners) => {
      const queue = createFairQueue({ concurrency: 2, maxQueued: 5 }, createRejection)
      const work = createWork()
      const results = owners.map(([network, address]) =>
        queue.run([`${network}`, `${network}.${address}`], work.named('x')),
      )
      expect(queue.queued()).toBe(Math.max(0, Math.min(5, owners.length - 2)))
      const settled = outcomes(results)
      for (const _ of owners) await work.endNext()
      expect((await settled).filter((outcome) => outcome === 'x')).toHaveLength(Math.min(7, owners.length))
      expect(queue.queued()).toBe(0)
    }),
  )
})
