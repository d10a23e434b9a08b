import { expect, onTestFinished, test } from 'vitest'
import { watchStalls } from './stall-monitor.ts'

test('DELIVERY-9 a stall of the process that runs the clients is detected', async () => {
  let stalls = 0
  const { stop } = watchStalls(() => stalls++, 100)
  onTestFinished(stop)
  const until = performance.now() + 200
  while (performance.now() < until);
  await expect.poll(() => stalls).toBeGreaterThan(0)
})
