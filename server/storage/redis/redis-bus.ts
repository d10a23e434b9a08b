import type { RedisLink } from './redis-link.ts'
import type { SideStream } from './log/log-reader.ts'
import { type ClusterBus, type ClusterEvent, createLocalBus } from '../../bus/cluster-bus.ts'

/** Part of the stored format, like the field name `order` below. */
const busKey = '{room}:orders'
/** Events that Redis keeps for nodes that are disconnected: many hours' worth. */
export const maxBusEvents = '10000'

/**
 * Opens the cluster bus on a Redis stream. The reader of the message log reads this stream too, so a node that was
 * disconnected receives the events that it missed, in order.
 */
export async function openRedisBus(link: RedisLink): Promise<{ bus: ClusterBus; stream: SideStream }> {
  const local = createLocalBus()
  let lastId = await newestId(link)
  return {
    bus: {
      async publish(event) {
        const connection = await link.connection()
        await connection.command(['XADD', busKey, 'MAXLEN', '~', maxBusEvents, '*', 'order', JSON.stringify(event)])
      },
      subscribe: (listener) => local.subscribe(listener),
    },
    stream: {
      key: busKey,
      after: () => lastId,
      hear(id, [, event = '']) {
        lastId = id
        void local.publish(JSON.parse(event) as ClusterEvent)
      },
    },
  }
}

/** A new node starts at the newest event: earlier ones concern no client that is connected to it. */
async function newestId(link: RedisLink): Promise<string> {
  const connection = await link.connection()
  const reply = await connection.command(['XREVRANGE', busKey, '+', '-', 'COUNT', '1'])
  const [newest] = Array.isArray(reply) ? reply : []
  return Array.isArray(newest) ? String(newest[0]) : '0-0'
}
