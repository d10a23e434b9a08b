import { expect, test } from 'vitest'
import { simulateNode } from './simulate-node.ts'

/** Measurements with 1,000 clients: messages a second, µs of CPU per delivery, p99 in ms. */
const measured = [
  [300, 1.96, 35],
  [1_000, 0.72, 43.3],
  [2_000, 0.34, 53.7],
  [4_000, 0.2, 73.6],
] as const

test('SCALING-1 the simulation of one node is close to the measurements', () => {
  for (const [messagesPerSecond, cpuUs, p99Ms] of measured) {
    const node = simulateNode({ pages: 1_000, messagesPerSecond, seconds: 4, seed: 7 })
    expect(node.cpuPerDeliveryUs / cpuUs, `CPU at ${messagesPerSecond} msg/s`).toBeGreaterThan(0.7)
    expect(node.cpuPerDeliveryUs / cpuUs, `CPU at ${messagesPerSecond} msg/s`).toBeLessThan(1.4)
    expect(node.p99Ms, `p99 at ${messagesPerSecond} msg/s`).toBeLessThan(p99Ms * 1.3)
  }
})
