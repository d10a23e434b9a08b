import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Order, Orders } from './cluster-bus.ts'

/** Where orders are given: by one handle, or by several that share a place. */
export interface OrdersPlace {
  open(): Promise<Orders & { close(): Promise<void> }>
}

const revoked = (tokenHash: string): Order => ({ kind: 'token-revoked', tokenHash })

/** What every maker of orders promises. */
export function describeOrders(name: string, createPlace: () => OrdersPlace): void {
  describe(`orders ${name}`, () => {
    let orders: Awaited<ReturnType<OrdersPlace['open']>>
    beforeEach(async () => {
      orders = await createPlace().open()
    })
    afterEach(() => orders.close())

    test('REDIS-4 every listener hears every order, in the order in which they were given, and none from before', async () => {
      const [first, second]: [Order[], Order[]] = [[], []]
      orders.listen((order) => first.push(order))
      for (const hash of ['a', 'b']) await orders.give(revoked(hash))
      await expect.poll(() => first).toStrictEqual([revoked('a'), revoked('b')])
      orders.listen((order) => second.push(order))
      await orders.give(revoked('c'))
      await expect.poll(() => second).toStrictEqual([revoked('c')])
      expect(first).toHaveLength(3)
    })
  })
}
