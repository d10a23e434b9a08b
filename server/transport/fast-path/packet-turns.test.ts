import { EventEmitter } from 'node:events'
import type { Transport } from 'engine.io'
import { expect, test } from 'vitest'
import { networkTurnMs } from '../../limits/input-turns.ts'
import { networksOf } from '../../limits/addresses.ts'
import { createPacketTurns } from './packet-turns.ts'

const handled: string[] = []

class TestTransport extends EventEmitter {
  readonly name = 'websocket'
  isPaused = false
  readonly socket = { pause: () => (this.isPaused = true), resume: () => (this.isPaused = false) }
  onPacket(packet: string): void {
    const startedMs = performance.now()
    while (packet === 'costly' && performance.now() - startedMs < networkTurnMs);
    handled.push(packet)
  }
}

test('SECURITY-3 a connection is not read while one of its packets waits for its turn, and its packets stay in order', async () => {
  const handleInTurns = createPacketTurns(
    () => networksOf('198.51.100.1'),
    () => undefined,
  )
  const [first, second] = [new TestTransport(), new TestTransport()]
  for (const transport of [first, second]) handleInTurns(transport as unknown as Transport)
  first.onPacket('costly')
  second.onPacket('a')
  second.onPacket('b')
  expect(handled).toStrictEqual(['costly'])
  expect([first.isPaused, second.isPaused]).toStrictEqual([false, true])
  await expect.poll(() => second.isPaused).toBe(false)
  expect(handled).toStrictEqual(['costly', 'a', 'b'])
})
