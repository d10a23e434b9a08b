import { randomBytes } from 'node:crypto'
import type { RedisConnection, RedisReply } from './redis-connection.ts'
import type { RedisLink } from './redis-link.ts'
import type { EventStream } from './log/log-reader.ts'
import { type ClusterBus, type ClusterEvent, createLocalBus } from '../../bus/cluster-bus.ts'

/** Key of the stream. It is part of the stored format, like the field names below. */
export const busKey = '{room}:control'
/** Minimum number of newest events that Redis keeps for disconnected nodes. */
export const maxBusEvents = '10000'

/**
 * Opens the cluster bus on a Redis stream. The reader of the message log reads this stream too, so a node that was
 * disconnected receives the events that it missed, in order. Each event has a counter as its id, not a time, and a
 * random nonce. If the stream does not hold the last event of a node, the stream was trimmed, wiped or replaced, and the
 * node reads the stream from the start.
 */
export async function openRedisBus(link: RedisLink): Promise<{ bus: ClusterBus; events: EventStream }> {
  const local = createLocalBus()
  let [lastId, lastNonce] = ['0-0', '']

  /**
   * Sets the start of the next read: the first event if the stream no longer holds the last event of this node, for example
   * after Redis was restored, or a replica without the event was promoted.
   */
  async function open(connection: RedisConnection): Promise<void> {
    for (;;) {
      const [id, nonce] = [lastId, lastNonce]
      if (id === '0-0') return
      const [found] = entriesOf(await connection.command(['XRANGE', busKey, id, id]))
      // Another connection of this node has received events meanwhile. The stream must hold the last of them.
      if (id !== lastId || nonce !== lastNonce) continue
      if (found?.nonce !== nonce) [lastId, lastNonce] = ['0-0', '']
      return
    }
  }

  function processEvent(id: string, [, event = '', , nonce = '']: readonly string[]): void {
    // The reader and `catchUp` may both receive an event, in any order.
    if (counterOf(id) > counterOf(lastId)) [lastId, lastNonce] = [id, nonce]
    void local.publish(JSON.parse(event) as ClusterEvent)
  }

  // A new node starts at the newest event: earlier events concern no client that is connected to it.
  const connection = await link.connection()
  const [newest] = entriesOf(await connection.command(['XREVRANGE', busKey, '+', '-', 'COUNT', '1']))
  if (newest !== undefined) [lastId, lastNonce] = [newest.id, newest.nonce]

  return {
    bus: {
      async publish(event) {
        const fields = ['event', JSON.stringify(event), 'nonce', randomBytes(9).toString('base64url')]
        const publishing = await link.connection()
        // `0-*` counts from 0-1.
        await publishing.command(['XADD', busKey, 'MAXLEN', '~', maxBusEvents, '0-*', ...fields])
      },
      subscribe: (listener) => local.subscribe(listener),
    },
    events: {
      key: busKey,
      open,
      after: () => lastId,
      processEvent,
      processed: () => lastNonce,
      async catchUp(own) {
        await open(own)
        const missed = entriesOf(await own.command(['XRANGE', busKey, `(${lastId}`, '+']))
        for (const { id, fields } of missed) processEvent(id, fields)
      },
    },
  }
}

const counterOf = (id: string) => Number(id.split('-')[1])

function entriesOf(reply: RedisReply): { id: string; nonce: string; fields: string[] }[] {
  const entries = (reply ?? []) as [string, string[]][]
  return entries.map(([id, fields]) => ({ id, nonce: fields[3] ?? '', fields }))
}
