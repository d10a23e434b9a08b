import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { describeClusterBus } from '../../server/bus/cluster-bus.suite.ts'
import type { ClusterEvent } from '../../server/bus/cluster-bus.ts'
import { entry } from '../../server/room/log-fixture.suite.ts'
import type { AppendOutcome } from '../../server/room/message-log.ts'
import { busKey, openRedisBus } from '../../server/storage/redis/redis-bus.ts'
import { openRedisConnection, type RedisConnection } from '../../server/storage/redis/redis-connection.ts'
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

/** Opens the bus of one node. The reader of the message log also reads the stream of the bus. */
async function openBus(url = redis.url, connect = openRedisConnection) {
  const link = createRedisLink(url, 'bus')
  const { bus, events } = await openRedisBus(link)
  const log = await openRedisLog({
    url,
    retention: { maxAgeMs: 3_600_000, maxMessages: 1_000 },
    waitReplicas: 0,
    events,
    report: ignoreEvents,
    connect,
  })
  return {
    ...bus,
    log,
    async close(): Promise<void> {
      link.close()
      await log.close()
    },
  }
}

const hashOf = (event: ClusterEvent) => (event.kind === 'token-revoked' ? event.tokenHash : '')

describeClusterBus('on Redis', () => ({ open: () => openBus() }))

test('REDIS-4 a node that was disconnected receives the events that it missed; a node that starts later does not', async () => {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  const [disconnected, publishing] = [await openBus(`redis://127.0.0.1:${proxy.port}`), await openBus()]
  onTestFinished(async () => void (await Promise.all([disconnected.close(), publishing.close()])))
  const received: ClusterEvent[] = []
  disconnected.subscribe((event) => received.push(event))
  proxy.rejectConnections()
  const expected: ClusterEvent[] = ['1', '2', '3'].map((tokenHash) => ({ kind: 'token-revoked', tokenHash }))
  for (const event of expected) await publishing.publish(event)
  const late = await openBus()
  onTestFinished(() => late.close())
  const lateReceived: ClusterEvent[] = []
  late.subscribe((event) => lateReceived.push(event))
  proxy.resume()
  await expect.poll(() => received).toStrictEqual(expected)
  expect(lateReceived).toStrictEqual([])
})

test('REDIS-4 a node that has received events receives those of a Redis that was wiped or restored', async () => {
  const ownRedis = await startRedis()
  onTestFinished(() => ownRedis.close())
  const [publishing, listening] = [await openBus(ownRedis.url), await openBus(ownRedis.url)]
  onTestFinished(async () => void (await Promise.all([publishing.close(), listening.close()])))
  const received: string[] = []
  listening.subscribe((event) => received.push(hashOf(event)))
  const publish = (tokenHash: string) =>
    expect.poll(() => publishing.publish({ kind: 'token-revoked', tokenHash }).then(() => 'done', String)).toBe('done')
  await publish('first')
  ownRedis.backUp()
  for (const hash of ['second', 'third']) await publish(hash)
  await expect.poll(() => received).toStrictEqual(['first', 'second', 'third'])
  await ownRedis.restore()
  await publish('after the restore')
  await expect.poll(() => received).toContain('after the restore')
  await ownRedis.wipe()
  // The ids of events must not depend on the clock of Redis, which may be earlier than before.
  await publish('after the wipe')
  await expect.poll(() => received).toContain('after the wipe')
  expect(ownRedis.command('XINFO', 'STREAM', '{room}:control')).toMatch(/last-generated-id\s0-1\s/)
})

test('REDIS-4 an event reaches every node after a failover that leaves connections to the old primary open', async () => {
  const pair = await startRedisPair()
  onTestFinished(() => pair.close())
  const [publishing, listening] = [await openBus(pair.url), await openBus(pair.url)]
  onTestFinished(async () => void (await Promise.all([publishing.close(), listening.close()])))
  const received: ClusterEvent[] = []
  listening.subscribe((event) => received.push(event))
  const published: ClusterEvent[] = ['1', '2'].map((tokenHash) => ({ kind: 'token-revoked', tokenHash }))
  const [before, after] = published as [ClusterEvent, ClusterEvent]
  await publishing.publish(before)
  await expect.poll(() => received).toStrictEqual([before])
  await pair.failOver()
  await expect.poll(() => publishing.publish(after).then(() => 'published', String)).toBe('published')
  await expect.poll(() => received).toStrictEqual([before, after])
})

test('REDIS-4 an event that arrives while a node checks its position does not cause earlier events to be processed again', async () => {
  const link = createRedisLink(redis.url, 'bus')
  onTestFinished(() => link.close())
  const { bus, events } = await openRedisBus(link)
  const received: string[] = []
  bus.subscribe((event) => received.push(hashOf(event)))
  const connection = await link.connection()
  const publish = (tokenHash: string) => bus.publish({ kind: 'token-revoked', tokenHash })
  await publish('first')
  await events.catchUp(connection)
  const position = events.after()
  await publish('second')
  const entries = (await connection.command(['XRANGE', busKey, `(${position}`, '+'])) as [string, string[]][]
  const catchingUp = events.catchUp(connection)
  // The reader delivers the event before Redis replies to `catchUp`.
  for (const [id, fields] of entries) events.processEvent(id, fields)
  await catchingUp
  expect(received).toStrictEqual(['first', 'second'])
})

test('SESSIONS-1 a node that has not received a revocation stores no message of the revoked sender', async () => {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  const [behind, publishing] = [await openBus(`redis://127.0.0.1:${proxy.port}`), await openBus()]
  onTestFinished(async () => void (await Promise.all([behind.close(), publishing.close()])))
  const revoked = new Set<string>()
  behind.subscribe((event) => revoked.add(hashOf(event)))
  // The third connection is the reader.
  await expect.poll(() => proxy.links()).toHaveLength(3)
  proxy.links()[2]?.stall('toClient')
  await publishing.publish({ kind: 'token-revoked', tokenHash: 'a' })
  const senders = ['a', 'b']
  const outcomes: AppendOutcome[] = []
  await behind.log.append(
    senders.map((text) => entry(text)),
    (all) => outcomes.push(...all),
    (index) => !revoked.has(senders[index] ?? ''),
  )
  expect(outcomes).toStrictEqual([{ rejected: 'unauthorized' }, { seq: expect.any(Number), repeated: false }])
})

test('MODERATION-9 a login that is revoked while its message waits for a connection to Redis does not send it', async () => {
  const [asked, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const logConnections: RedisConnection[] = []
  const waiting = await openBus(redis.url, async (url, name) => {
    if (name === 'chat-room-log' && logConnections.length > 0) {
      asked.resolve()
      await allowed.promise
    }
    const connection = await openRedisConnection(url, name)
    if (name === 'chat-room-log') logConnections.push(connection)
    return connection
  })
  onTestFinished(() => waiting.close())
  const revoked = new Set<string>()
  waiting.subscribe((event) => revoked.add(hashOf(event)))
  logConnections[0]?.close()
  const outcomes: AppendOutcome[] = []
  const append = () =>
    waiting.log.append(
      [entry('a')],
      (all) => outcomes.push(...all),
      () => !revoked.has('waiting'),
    )
  // The link tries to connect at most every 200 ms, and rejects calls between two attempts.
  const appended = vi.waitFor(append, { timeout: 20_000 })
  await asked.promise
  await waiting.publish({ kind: 'token-revoked', tokenHash: 'waiting' })
  await expect.poll(() => revoked.has('waiting')).toBe(true)
  allowed.resolve()
  await appended
  expect(outcomes).toStrictEqual([{ rejected: 'unauthorized' }])
})
