import { expect, test } from 'vitest'
import { createDeliveryCounter } from './delivery-counter.ts'

const burst = { firstId: 100, total: 3, startAtMs: 0, intervalMs: 10 }

function countDeliveries(...perConnection: number[][]) {
  const deliveries = createDeliveryCounter(perConnection.length)
  deliveries.start(burst)
  perConnection.forEach((ids, connection) => {
    for (const id of ids) deliveries.add(connection, id, 25)
  })
  return deliveries.report(perConnection.length)
}

test('BENCH-2 the counter accepts every message once on every connection', () => {
  const report = countDeliveries([100, 101, 102], [100, 101, 102])
  expect(report).toMatchObject({ delivered: 6, expected: 6, incorrectConnections: 0, isSameOrder: true })
})

test.each([
  ['lost', [100, 102]],
  ['duplicate', [100, 101, 101, 102]],
  ['duplicate instead of a lost', [100, 101, 101]],
  ['unknown', [100, 101, 109]],
])('BENCH-2 the counter reports a %s message', (_what, ids) => {
  expect(countDeliveries([100, 101, 102], ids).incorrectConnections).toBe(1)
})

test('BENCH-2 the counter reports a different order, but not as a loss', () => {
  expect(countDeliveries([100, 101, 102], [101, 100, 102])).toMatchObject({
    incorrectConnections: 0,
    isSameOrder: false,
  })
})

test('BENCH-2 the counter ignores late deliveries of the previous burst', () => {
  expect(countDeliveries([99, 100, 101, 102])).toMatchObject({ delivered: 3, incorrectConnections: 0 })
})

test('BENCH-3 latency counts from the time a message was due', () => {
  expect(countDeliveries([100, 101, 102]).latencyBuckets).toEqual({ 250: 1, 150: 1, 50: 1 })
})
