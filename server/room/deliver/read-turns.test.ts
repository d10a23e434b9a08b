import { expect, test } from 'vitest'
import { createReadTurns, maxOutstandingReads } from './read-turns.ts'

/** Reads that end when the test says so, by the name of who asked. */
function openTurns() {
  const turns = createReadTurns()
  const running: { name: string; end: () => void }[] = []
  const begun: string[] = []
  const ask = (address: string, name: string) =>
    turns.take(address, () => {
      begun.push(name)
      return new Promise<string>((resolve) => running.push({ name, end: () => resolve(name) }))
    })
  return { turns, running, begun, ask }
}

test('REPLAY-5 few reads stand before an append, and each network has its turn', async () => {
  const { running, begun, ask } = openTurns()
  const answers = [
    ...Array.from({ length: 6 }, (_, index) => ask(`2001:db8:1:${index}::1`, `greedy ${index}`)),
    ask('192.0.2.1', 'b'),
    ask('198.51.100.1', 'c'),
  ]
  expect(begun).toHaveLength(maxOutstandingReads)
  for (let ended = 0; ended < answers.length; ended++) {
    await expect.poll(() => running.length).toBeGreaterThan(0)
    expect(running.length).toBeLessThanOrEqual(maxOutstandingReads)
    running.shift()?.end()
  }
  expect((await Promise.all(answers)).toSorted()).toStrictEqual(begun.toSorted())
  expect(begun.indexOf('b')).toBeLessThan(4)
  expect(begun.indexOf('c')).toBeLessThan(5)
})

test('REPLAY-5 a read that fails fails for who asked, and the next has its turn', async () => {
  const { turns } = openTurns()
  const failing = Array.from({ length: 5 }, () => turns.take('a', () => Promise.reject(new Error('disk'))))
  for (const read of failing) await expect(read).rejects.toThrow('disk')
  expect(await turns.take('a', () => Promise.resolve('fine'))).toBe('fine')
})
