import type { RedisLink } from './redis-link.ts'
import type { SideStream } from './log/log-reader.ts'
import { createLocalOrders, type Order, type Orders } from '../../bus/cluster-bus.ts'

const ordersKey = '{room}:orders'
/** Orders that a node may be behind by: many hours' worth. */
export const maxOrders = '10000'

/** Orders by a stream that is read together with the log: a node that was away hears what it missed, in order. */
export async function openRedisOrders(link: RedisLink): Promise<{ orders: Orders; stream: SideStream }> {
  const here = createLocalOrders()
  let heardId = await newestId(link)
  return {
    orders: {
      async give(order) {
        const connection = await link.connection()
        await connection.command(['XADD', ordersKey, 'MAXLEN', '~', maxOrders, '*', 'order', JSON.stringify(order)])
      },
      listen: (obey) => here.listen(obey),
    },
    stream: {
      key: ordersKey,
      after: () => heardId,
      hear(id, [, order = '']) {
        heardId = id
        void here.give(JSON.parse(order) as Order)
      },
    },
  }
}

/** What was ordered before this node was there concerns nobody who is connected to it. */
async function newestId(link: RedisLink): Promise<string> {
  const connection = await link.connection()
  const reply = await connection.command(['XREVRANGE', ordersKey, '+', '-', 'COUNT', '1'])
  const [newest] = Array.isArray(reply) ? reply : []
  return Array.isArray(newest) ? String(newest[0]) : '0-0'
}
