import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createByteBudget } from '../../limits/byte-budget.ts'
import { createPageTurns } from './page-turns.ts'

test('REPLAY-5 networks take turns for pages: a network that waits for hundreds of pages delays another network by a few turns', async () => {
  const turns = createPageTurns(createByteBudget(0))
  const sent: string[] = []
  const request = async (address: string) => {
    await turns.take({ address }, true)
    sent.push(address)
  }
  const flood = Array.from({ length: 300 }, (_, index) => request(`2001:db8:1:${index.toString(16)}::1`))
  const single = request('203.0.113.7')
  await nextTurn()
  await single
  expect(sent.length).toBeLessThan(50)
  await Promise.all(flood)
  expect(sent).toHaveLength(301)
})
