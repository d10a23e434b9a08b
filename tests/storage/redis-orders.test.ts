import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeOrders } from '../../server/backing/orders.suite.ts'
import type { Order } from '../../server/backing/orders.ts'
import { openRedisOrders } from '../../server/backing/redis-orders.ts'
import { createRedisLink } from '../../server/redis/redis-link.ts'
import { openRedisLog } from '../../server/room/redis/redis-log.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

/** Orders are heard by the reader of the log. */
async function openOrders(port = redis.port) {
  const url = `redis://127.0.0.1:${port}`
  const link = createRedisLink(url, 'orders')
  const { orders, stream } = await openRedisOrders(link)
  const log = await openRedisLog({
    url,
    retention: { maxAgeMs: 3_600_000, maxMessages: 1_000 },
    listener: { stored: () => undefined, broken: () => undefined },
    sideStreams: [stream],
  })
  return {
    ...orders,
    async close(): Promise<void> {
      link.close()
      await log.close()
    },
  }
}

describeOrders('on Redis', () => ({ open: () => openOrders() }))

test('REDIS-4 a node that was away hears what was ordered meanwhile; one that comes later does not', async () => {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  const [away, giving] = [await openOrders(proxy.port), await openOrders()]
  onTestFinished(async () => void (await Promise.all([away.close(), giving.close()])))
  const heard: Order[] = []
  away.listen((order) => heard.push(order))
  proxy.refuse()
  const meant: Order[] = ['1', '2', '3'].map((tokenHash) => ({ kind: 'token-revoked', tokenHash }))
  for (const order of meant) await giving.give(order)
  const late = await openOrders()
  onTestFinished(() => late.close())
  const lateHeard: Order[] = []
  late.listen((order) => lateHeard.push(order))
  proxy.resume()
  await expect.poll(() => heard).toStrictEqual(meant)
  expect(lateHeard).toStrictEqual([])
})
