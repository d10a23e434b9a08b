import { expect, test } from 'vitest'
import { measurements } from './costs.ts'
import { simulateNode } from './simulate-node.ts'

test('SCALING-1 the simulation of one node is close to the measurements', () => {
  for (const { messagesPerSecond, cpuPerDeliveryUs, p99Ms } of measurements) {
    const node = simulateNode({ pages: 1_000, messagesPerSecond, seconds: 4, seed: 7 })
    expect(node.cpuPerDeliveryUs / cpuPerDeliveryUs, `CPU at ${messagesPerSecond} msg/s`).toBeGreaterThan(0.7)
    expect(node.cpuPerDeliveryUs / cpuPerDeliveryUs, `CPU at ${messagesPerSecond} msg/s`).toBeLessThan(1.4)
    expect(node.p99Ms, `p99 at ${messagesPerSecond} msg/s`).toBeLessThan(p99Ms * 1.3)
  }
})
