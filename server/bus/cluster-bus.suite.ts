import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClusterBus, ClusterEvent } from './cluster-bus.ts'

/** Fixture that opens a connected bus. */
export interface BusFixture {
  open(): Promise<ClusterBus & { close(): Promise<void> }>
}

const revoked = (tokenHash: string): ClusterEvent => ({ kind: 'token-revoked', tokenHash })

/** Defines the tests that every cluster bus has to pass. */
export function describeClusterBus(name: string, createFixture: () => BusFixture): void {
  describe(`a cluster bus ${name}`, () => {
    let bus: Awaited<ReturnType<BusFixture['open']>>
    beforeEach(async () => {
      bus = await createFixture().open()
    })
    afterEach(() => bus.close())

    test('REDIS-4 every listener receives every event in the order of publication, and no event from before its subscription', async () => {
      const [first, second]: [ClusterEvent[], ClusterEvent[]] = [[], []]
      bus.subscribe((event) => first.push(event))
      for (const hash of ['a', 'b']) await bus.publish(revoked(hash))
      await expect.poll(() => first).toStrictEqual([revoked('a'), revoked('b')])
      bus.subscribe((event) => second.push(event))
      await bus.publish(revoked('c'))
      await expect.poll(() => second).toStrictEqual([revoked('c')])
      expect(first).toHaveLength(3)
    })
  })
}
