import { expect, test } from 'vitest'
import { createReadQueue, maxOutstandingReads } from './read-queue.ts'

/** Opens a queue whose reads end when the test ends them. */
function openQueue() {
  const queue = createReadQueue()
  const running: { name: string; end: () => void }[] = []
  const started: string[] = []
  const requestRead = (address: string, name: string) =>
    queue.run(address, () => {
      started.push(name)
      return new Promise<string>((resolve) => running.push({ name, end: () => resolve(name) }))
    })
  return { queue, running, started, requestRead }
}

test('REPLAY-5 concurrent reads are limited, and the networks take turns', async () => {
  const { running, started, requestRead } = openQueue()
  const results = [
    ...Array.from({ length: 6 }, (_, index) => requestRead(`2001:db8:1:${index}::1`, `greedy ${index}`)),
    requestRead('192.0.2.1', 'b'),
    requestRead('198.51.100.1', 'c'),
  ]
  expect(started).toHaveLength(maxOutstandingReads)
  for (let ended = 0; ended < results.length; ended++) {
    await expect.poll(() => running.length).toBeGreaterThan(0)
    expect(running.length).toBeLessThanOrEqual(maxOutstandingReads)
    running.shift()?.end()
  }
  expect((await Promise.all(results)).toSorted()).toStrictEqual(started.toSorted())
  expect(started.indexOf('b')).toBeLessThan(4)
  expect(started.indexOf('c')).toBeLessThan(5)
})

test('REPLAY-5 a failed read rejects for its caller only, and the next read runs', async () => {
  const { queue } = openQueue()
  const failing = Array.from({ length: 5 }, () => queue.run('a', () => Promise.reject(new Error('disk'))))
  for (const read of failing) await expect(read).rejects.toThrow('disk')
  expect(await queue.run('a', () => Promise.resolve('fine'))).toBe('fine')
})
