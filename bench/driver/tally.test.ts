import { expect, test } from 'vitest'
import { createTally } from './tally.ts'

const burst = { firstId: 100, total: 3, startAtMs: 0, intervalMs: 10 }

function tallyOf(...perConnection: number[][]) {
  const tally = createTally(perConnection.length)
  tally.begin(burst)
  perConnection.forEach((ids, connection) => {
    for (const id of ids) tally.add(connection, id, 25)
  })
  return tally.report(perConnection.length)
}

test('BENCH-2 every message once on every connection is right', () => {
  const report = tallyOf([100, 101, 102], [100, 101, 102])
  expect(report).toMatchObject({ delivered: 6, expected: 6, wrongConnections: 0, sameOrder: true })
})

test.each([
  ['lost', [100, 102]],
  ['doubled', [100, 101, 101, 102]],
  ['doubled in place of a lost one', [100, 101, 101]],
  ['foreign', [100, 101, 109]],
])('BENCH-2 a %s message is noticed', (_what, ids) => {
  expect(tallyOf([100, 101, 102], ids).wrongConnections).toBe(1)
})

test('BENCH-2 another order is noticed, and is not counted as a loss', () => {
  expect(tallyOf([100, 101, 102], [101, 100, 102])).toMatchObject({ wrongConnections: 0, sameOrder: false })
})

test('BENCH-2 what is left over from the burst before is not counted', () => {
  expect(tallyOf([99, 100, 101, 102])).toMatchObject({ delivered: 3, wrongConnections: 0 })
})

test('BENCH-3 latency counts from when a message was due', () => {
  expect(tallyOf([100, 101, 102]).latencyBuckets).toEqual({ 250: 1, 150: 1, 50: 1 })
})
