import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeOrders } from '../../server/bus/cluster-bus.suite.ts'
import type { Order } from '../../server/bus/cluster-bus.ts'
import { openRedisOrders } from '../../server/storage/redis/redis-bus.ts'
import { createRedisLink } from '../../server/storage/redis/redis-link.ts'
import { openRedisLog } from '../../server/storage/redis/log/redis-log.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { startRedisPair } from '../support/redis-failover.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

/** Orders are heard by the reader of the log. */
async function openOrders(url = redis.url) {
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
  const [away, giving] = [await openOrders(`redis://127.0.0.1:${proxy.port}`), await openOrders()]
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

test('REDIS-4 an order reaches every node after a failover that leaves connections to the old primary open', async () => {
  const pair = await startRedisPair()
  onTestFinished(() => pair.close())
  const [giving, listening] = [await openOrders(pair.url), await openOrders(pair.url)]
  onTestFinished(async () => void (await Promise.all([giving.close(), listening.close()])))
  const heard: Order[] = []
  listening.listen((order) => heard.push(order))
  const orders: Order[] = ['1', '2'].map((tokenHash) => ({ kind: 'token-revoked', tokenHash }))
  const [before, after] = orders as [Order, Order]
  await giving.give(before)
  await expect.poll(() => heard).toStrictEqual([before])
  await pair.failOver()
  await expect.poll(() => giving.give(after).then(() => 'given', String)).toBe('given')
  await expect.poll(() => heard).toStrictEqual([before, after])
})
