import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { append, entry, type LogFixture } from '../../server/room/log-fixture.suite.ts'
import { describeMessageLog } from '../../server/room/message-log.suite.ts'
import { continuationOf } from '../../server/room/lineage.ts'
import type { MessageLog, Retention, LogBounds } from '../../server/room/message-log.ts'
import { openRedisLog } from '../../server/storage/redis/log/redis-log.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { measureAwakeMs } from '../support/measure-awake-time.ts'
import { noClusterEvents } from '../support/no-cluster-events.ts'
import { startRedis } from '../support/redis-server.ts'

const keepAll: Retention = { maxAgeMs: 3_600_000, maxMessages: 100_000 }

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

function createFixture(): LogFixture {
  // Use the databases 1 to 15 of Redis in turn. `openNode` uses database 0.
  const database = nextDatabase()
  return {
    open: (retention) => openRedisLog({ ...singleNode, url: `${redis.url}/${database}`, retention }),
    blockStorage() {
      redis.command('CONFIG', 'SET', 'min-replicas-to-write', '1')
      return () => void redis.command('CONFIG', 'SET', 'min-replicas-to-write', '0')
    },
    remove: () => void redis.command('-n', `${database}`, 'FLUSHDB'),
  }
}

describeMessageLog('Redis', createFixture)

let databases = 0
const singleNode = { waitReplicas: 0, events: noClusterEvents, report: ignoreEvents }
const nextDatabase = () => 1 + (databases++ % 15)

beforeEach(() => void redis.command('-n', '0', 'FLUSHDB'))

/** Opens the log as one node and records its events: each message as seq and text, each break as the new log bounds. */
async function openNode({ port = redis.port, retention = keepAll, waitReplicas = 0 } = {}) {
  const received: (string | LogBounds)[] = []
  const log = await openRedisLog({
    url: `redis://127.0.0.1:${port}`,
    retention,
    waitReplicas,
    events: noClusterEvents,
    report: ignoreEvents,
  })
  log.subscribe({
    onStored({ epoch, messages }) {
      for (const { seq, message } of messages) {
        // `bounds()` already has the epoch of the batch when the log calls the listener.
        expect(log.bounds().epoch).toBe(epoch)
        received.push(`${seq} ${message.message}`)
      }
    },
    onRemoved: () => undefined,
    onLogBroken: (bounds) => void received.push(bounds),
  })
  onTestFinished(() => log.close())
  return { log, received, texts: () => received.filter((one) => typeof one === 'string') }
}

async function openProxy() {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  return proxy
}

const appendTexts = (log: MessageLog, ...texts: string[]) =>
  append(
    log,
    texts.map((text) => entry(text, { id: randomUUID() })),
  )
const numbered = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `${first + index} text ${first + index}`)
const appendNumbered = async (log: MessageLog, first: number, last: number) => {
  await appendTexts(log, ...Array.from({ length: last - first + 1 }, (_, index) => `text ${first + index}`))
}
const expectHealthy = (log: MessageLog) => expect.poll(() => log.check().then(() => 'well', String)).toBe('well')

test('DELIVERY-1 two nodes on one log receive every message once, in one order, whichever node stored it', async () => {
  const [one, two] = [await openNode(), await openNode()]
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      appendTexts(index % 2 === 0 ? one.log : two.log, `a ${index}`, `b ${index}`),
    ),
  )
  const seqs = outcomes.flat().map((outcome) => ('seq' in outcome ? outcome.seq : 0))
  expect(seqs.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 80 }, (_, index) => index + 1))
  await expect.poll(() => one.received.length).toBe(80)
  await expect.poll(() => two.received).toStrictEqual(one.received)
  const late = await openNode()
  await appendTexts(late.log, 'the last')
  for (const node of [one, two, late]) await expect.poll(() => node.received.at(-1)).toBe('81 the last')
  expect(late.received).toHaveLength(1)
})

test('DELIVERY-2 after a lost reply of Redis a repeated append finds the first, on any node', async () => {
  const proxy = await openProxy()
  const [cut, other] = [await openNode({ port: proxy.port }), await openNode()]
  await appendTexts(cut.log, 'before')
  const once = entry('once', { id: randomUUID() })
  proxy.stall(['toClient'], 'path')
  await expect(append(cut.log, [once])).rejects.toThrow(/did not respond within 3 s/)
  await expect.poll(() => other.texts()).toStrictEqual(['1 before', '2 once'])
  proxy.resume()
  expect(await append(other.log, [once])).toStrictEqual([{ seq: 2, repeated: true }])
  await expectHealthy(cut.log)
  expect(await append(cut.log, [once])).toStrictEqual([{ seq: 2, repeated: true }])
  await expect.poll(() => cut.received).toStrictEqual(['1 before', '2 once'])
})

test('DELIVERY-4 a wipe of a running Redis causes one new epoch on every node, and appends continue', async () => {
  const [one, two] = [await openNode(), await openNode()]
  await appendNumbered(one.log, 1, 3)
  for (const { received } of [one, two]) await expect.poll(() => received.length).toBe(3)
  const { epoch } = one.log.bounds()
  redis.command('FLUSHALL')
  // FLUSHALL does not wake a blocked reader, so the other node must detect the wipe by polling.
  await expectHealthy(one.log)
  for (const { received } of [one, two]) await expect.poll(() => received.length).toBe(4)
  await appendTexts(two.log, 'after it')
  const bounds = { epoch: one.log.bounds().epoch, oldest: 4, head: 3 }
  expect(bounds.epoch).not.toBe(epoch)
  for (const { received } of [one, two]) {
    await expect.poll(() => received).toStrictEqual([...numbered(1, 3), bounds, '4 after it'])
  }
})

test('DELIVERY-4 a message whose log is lost before the reply arrives is not acknowledged', async () => {
  const proxy = await openProxy()
  const [cut, other] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(cut.log, 1, 1)
  const { epoch } = cut.log.bounds()
  // The first connection is the writer. The second connection, the reader, stays connected.
  proxy.links()[0]?.stall('toClient')
  const outcome = appendNumbered(cut.log, 2, 2).then(() => 'acknowledged', String)
  await expect.poll(() => redis.command('HGET', '{room}:state', 'head')).toBe('2')
  redis.command('FLUSHALL')
  await expectHealthy(other.log)
  await expect.poll(() => cut.log.bounds().epoch).not.toBe(epoch)
  proxy.resume()
  expect(await outcome).not.toBe('acknowledged')
})

test('DELIVERY-4 when seqs are reused after a restored backup, the node that had received more starts a new epoch for all', async () => {
  const proxy = await openProxy()
  const [disconnected, here] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(here.log, 1, 2)
  redis.backUp()
  await appendNumbered(here.log, 3, 5)
  await expect.poll(() => disconnected.received.length).toBe(5)
  // A new node opens the restored log while the node with the later messages is disconnected and the other node is
  // closed.
  proxy.rejectConnections()
  await here.log.close()
  const { epoch } = disconnected.log.bounds()
  await redis.restore()
  const fresh = await openNode()
  expect(fresh.log.bounds().epoch).toBe(epoch)
  await appendTexts(fresh.log, 'other text', 'another', 'and one more')
  proxy.resume()
  await expectHealthy(disconnected.log)
  await expect.poll(() => fresh.log.bounds().epoch).not.toBe(epoch)
  await expect.poll(() => disconnected.log.bounds()).toStrictEqual(fresh.log.bounds())
  const broken = { epoch: fresh.log.bounds().epoch, oldest: 1, head: 2 }
  const renewed = ['3 other text', '4 another', '5 and one more']
  expect(disconnected.received).toStrictEqual([...numbered(1, 5), broken, ...renewed])
  expect(fresh.received).toStrictEqual([...renewed, { ...broken, head: 5 }])
})

test('DELIVERY-4 a node that received more than the node that confirmed the epoch detects reused seqs', async () => {
  const proxy = await openProxy()
  const [lagging, ahead] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(ahead.log, 1, 3)
  await expect.poll(() => lagging.received.length).toBe(3)
  redis.backUp()
  proxy.rejectConnections()
  await appendNumbered(ahead.log, 4, 6)
  await expect.poll(() => ahead.received.length).toBe(6)
  const { epoch } = ahead.log.bounds()
  await redis.kill()
  proxy.resume()
  await redis.restore()
  await expect.poll(() => ahead.received.length).toBeGreaterThan(6)
  await expectHealthy(lagging.log)
  await expectHealthy(ahead.log)
  expect(ahead.received[6]).toMatchObject({ head: 3 })
  expect(ahead.log.bounds().epoch).not.toBe(epoch)
  await expect.poll(() => lagging.log.bounds()).toStrictEqual(ahead.log.bounds())
})

test('DELIVERY-4 after a restore that no node can detect, a client that had received more is notified', async () => {
  const proxy = await openProxy()
  const [left, right] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(left.log, 1, 3)
  await expect.poll(() => left.received.length).toBe(3)
  redis.backUp()
  proxy.rejectConnections()
  await appendNumbered(right.log, 4, 4)
  const seenMore = await right.log.fetchHead()
  await right.log.close()
  const { epoch } = left.log.bounds()
  await redis.restore()
  proxy.resume()
  await expectHealthy(left.log)
  await appendTexts(left.log, 'another fourth')
  await expect.poll(() => left.received).toStrictEqual([...numbered(1, 3), '4 another fourth'])
  expect(left.log.bounds().epoch).toBe(epoch)
  const line = { lineage: left.log.lineage(), ...left.log.bounds() }
  expect(seenMore).toMatchObject({ epoch, seq: 4 })
  expect(seenMore !== null && continuationOf(seenMore, line)).toBe(3)
})

test('DELIVERY-1 after Redis was killed before a reply, the epoch stays and the message is delivered', async () => {
  const proxy = await openProxy()
  const { log, received } = await openNode({ port: proxy.port })
  await appendNumbered(log, 1, 1)
  const { epoch } = log.bounds()
  proxy.stall(['toClient'], 'path')
  const unanswered = appendNumbered(log, 2, 2).catch(() => 'unanswered')
  await expect.poll(() => redis.command('HGET', '{room}:state', 'head')).toBe('2')
  proxy.rejectConnections()
  await redis.kill()
  await redis.start()
  proxy.resume()
  await unanswered
  await expectHealthy(log)
  expect(log.bounds().epoch).toBe(epoch)
  await expect.poll(() => received).toStrictEqual(numbered(1, 2))
})

test('DELIVERY-4 after a clean shutdown of a node a restart of Redis keeps the epoch', async () => {
  const [stopping, staying] = [await openNode(), await openNode()]
  await appendNumbered(stopping.log, 1, 2)
  await expect.poll(() => staying.received.length).toBe(2)
  const { epoch } = staying.log.bounds()
  await stopping.log.close()
  await redis.restart()
  await expectHealthy(staying.log)
  expect(staying.log.bounds().epoch).toBe(epoch)
  await appendNumbered(staying.log, 3, 3)
  await expect.poll(() => staying.received).toStrictEqual(numbered(1, 3))
})

test('DELIVERY-4 a node that detects a new log late receives the messages stored in it before', async () => {
  const proxy = await openProxy()
  const [late, early] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(early.log, 1, 2)
  await expect.poll(() => late.received.length).toBe(2)
  proxy.rejectConnections()
  await redis.wipe()
  await expectHealthy(early.log)
  await appendNumbered(early.log, 3, 4)
  // The node does not accept a cursor of the new log while it still has the old log.
  await expect(late.log.catchUp({ ...early.log.bounds(), seq: 4 })).rejects.toThrow()
  proxy.resume()
  await expectHealthy(late.log)
  await expect.poll(() => late.received.length).toBe(5)
  const broken = expect.objectContaining({ epoch: early.log.bounds().epoch, head: 2 })
  expect(late.received).toStrictEqual([...numbered(1, 2), broken, ...numbered(3, 4)])
})

test('DELIVERY-4 a node that was disconnected past the retention reports a gap and continues at the oldest message', async () => {
  const proxy = await openProxy()
  const retention = { ...keepAll, maxMessages: 5 }
  const [reader, sender] = [await openNode({ port: proxy.port, retention }), await openNode({ retention })]
  await appendNumbered(sender.log, 1, 3)
  await expect.poll(() => reader.received.length).toBe(3)
  proxy.rejectConnections()
  await appendNumbered(sender.log, 4, 20)
  proxy.resume()
  await expectHealthy(reader.log)
  await appendNumbered(sender.log, 21, 21)
  const { epoch } = sender.log.bounds()
  const afterIt = reader.received.slice(3)
  await expect.poll(() => reader.received.at(-1)).toBe('21 text 21')
  expect(afterIt[0]).toStrictEqual({ epoch, oldest: 16, head: 15 })
  expect(reader.texts().slice(3)).toStrictEqual(numbered(16, 21))
})

test('DELIVERY-4 a node that was disconnected until every message had expired reports a gap and recovers', async () => {
  const proxy = await openProxy()
  const [reader, earlier] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(earlier.log, 1, 3)
  await expect.poll(() => reader.received.length).toBe(3)
  proxy.rejectConnections()
  const sender = await openNode({ retention: { ...keepAll, maxAgeMs: 100 } })
  await appendNumbered(sender.log, 4, 5)
  await expect.poll(() => sender.log.bounds().oldest).toBe(6)
  proxy.resume()
  await expectHealthy(reader.log)
  const { epoch } = sender.log.bounds()
  expect(reader.received).toStrictEqual([...numbered(1, 3), { epoch, oldest: 6, head: 5 }])
})

test('DELIVERY-1 after a kill and restart of Redis acknowledged messages are kept under the same epoch, and appends continue', async () => {
  const [one, two] = [await openNode(), await openNode()]
  await appendNumbered(one.log, 1, 10)
  const { epoch } = one.log.bounds()
  await redis.kill()
  await expect(appendTexts(one.log, 'lost')).rejects.toThrow()
  await redis.start()
  await expectHealthy(one.log)
  await expectHealthy(two.log)
  expect(await appendTexts(two.log, 'text 11')).toStrictEqual([{ seq: 11, repeated: false }])
  for (const { received } of [one, two]) await expect.poll(() => received).toStrictEqual(numbered(1, 11))
  expect(one.log.bounds()).toStrictEqual({ epoch, oldest: 1, head: 11 })
})

test('DELIVERY-4 without durable writes every restart of Redis causes a new epoch', async () => {
  const nonDurable = await startRedis({ settings: { appendfsync: 'everysec' } })
  onTestFinished(() => nonDurable.close())
  const { log, received } = await openNode({ port: nonDurable.port })
  await appendNumbered(log, 1, 2)
  await expect.poll(() => received.length).toBe(2)
  const { epoch } = log.bounds()
  await nonDurable.restart()
  await expectHealthy(log)
  expect(log.bounds().epoch).not.toBe(epoch)
  expect(received[2]).toMatchObject({ epoch: log.bounds().epoch })
})

test('DELIVERY-1 while Redis hangs nothing is acknowledged, the timeout detects it, and the log recovers afterwards', async () => {
  const { log, received } = await openNode()
  await appendNumbered(log, 1, 1)
  redis.pause()
  const pausedAt = performance.now()
  try {
    await expect(appendTexts(log, 'while Redis hangs')).rejects.toThrow(/3 s/)
    await expect(log.check()).rejects.toThrow()
    expect(performance.now() - pausedAt).toBeLessThan(20_000)
  } finally {
    redis.resume()
  }
  await expectHealthy(log)
  await appendTexts(log, 'after the hang')
  // The rejected message may have been stored, because it was in flight.
  await expect.poll(() => received.at(-1)).toMatch(/^[23] after the hang$/)
})

test('DELIVERY-1 a reader that receives nothing on an open connection reconnects and misses nothing', async () => {
  const proxy = await openProxy()
  const { log, received } = await openNode({ port: proxy.port })
  await appendNumbered(log, 1, 1)
  await expect.poll(() => received.length).toBe(1)
  // The second connection is the reader.
  proxy.links()[1]?.stall('toClient')
  await appendNumbered(log, 2, 2)
  await expect.poll(() => received).toStrictEqual(numbered(1, 2))
  await expectHealthy(log)
})

/** Opens two nodes, one of which has not received the second message. */
async function openLaggingNode() {
  const proxy = await openProxy()
  const [behind, ahead] = [await openNode({ port: proxy.port }), await openNode()]
  await appendNumbered(ahead.log, 1, 1)
  await expect.poll(() => behind.received.length).toBe(1)
  proxy.links()[1]?.stall('toClient')
  await appendNumbered(ahead.log, 2, 2)
  return { proxy, behind, epoch: ahead.log.bounds().epoch }
}

test('DELIVERY-3 a node catches up with a cursor of another node and does not wait for a cursor that no node issued', async () => {
  const { proxy, behind, epoch } = await openLaggingNode()
  const catchingUp = behind.log.catchUp({ epoch, seq: 2 })
  expect(behind.log.bounds().head).toBe(1)
  proxy.resume()
  await catchingUp
  expect(behind.log.bounds().head).toBe(2)
  expect(behind.log.catchUp({ epoch, seq: 2 })).toBeNull()
  await behind.log.catchUp({ epoch: 'another', seq: 9 })
  expect(await measureAwakeMs(async () => behind.log.catchUp({ epoch, seq: 9 }))).toBeLessThan(2_000)
})

test('SECURITY-3 any number of cursors ahead of the log cause few reads of Redis', async () => {
  const { log } = await openNode()
  const { epoch } = log.bounds()
  const processed = () => Number(/total_commands_processed:(\d+)/.exec(redis.command('INFO', 'stats'))?.[1])
  const before = processed()
  const catchUp = async (seq: number) => log.catchUp({ epoch, seq })
  await Promise.all(Array.from({ length: 500 }, (_, i) => catchUp(Number.MAX_SAFE_INTEGER - i)))
  expect(processed() - before).toBeLessThan(100)
})

test('DELIVERY-2 a new client starts at the head of the log, however far its node is behind', async () => {
  const { proxy, behind, epoch } = await openLaggingNode()
  expect(await behind.log.fetchHead()).toMatchObject({ epoch, seq: 2 })
  expect(behind.log.bounds().head).toBe(1)
  proxy.rejectConnections()
  await expect(behind.log.fetchHead()).rejects.toThrow()
  proxy.resume()
  await expectHealthy(behind.log)
  expect(await behind.log.fetchHead()).toMatchObject({ epoch, seq: behind.log.bounds().head })
  // The node never returns the head of a new log with the epoch of the old log.
  redis.command('FLUSHALL')
  await expect.poll(() => behind.log.fetchHead()).not.toMatchObject({ epoch })
})

test('DELIVERY-1 without the required replicas nothing is acknowledged', async () => {
  const { log } = await openNode({ waitReplicas: 1 })
  await expect(appendTexts(log, 'singleNode')).rejects.toThrow(/Only 0 of \d+ replicas/)
})

test('DELIVERY-4 the promotion of a replica causes a new epoch, because the replica may lack the tail', async () => {
  const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${redis.port}` } })
  onTestFinished(() => replica.close())
  let port = redis.port
  // Proxy at the address that the node uses. Like an operator, the test moves the address to the replica.
  const address = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1' })
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined)
      socket.on('close', () => [client, upstream].forEach((one) => one.destroy()))
    }
    client.pipe(upstream).pipe(client)
    onMoved.push(() => client.destroy())
  })
  const onMoved: (() => void)[] = []
  address.listen(0, '127.0.0.1')
  await once(address, 'listening')
  onTestFinished(() => void address.close())
  const { log, received } = await openNode({ port: (address.address() as AddressInfo).port, waitReplicas: 1 })
  await expect.poll(() => appendTexts(log, 'text 1').then(() => 'stored', String)).toBe('stored')
  await expect.poll(() => received.length).toBeGreaterThan(0)
  const { epoch } = log.bounds()
  replica.command('REPLICAOF', 'NO', 'ONE')
  port = replica.port
  for (const move of onMoved) move()
  await expect.poll(() => received.at(-1)).toMatchObject({ head: log.bounds().head })
  expect(log.bounds().epoch).not.toBe(epoch)
})

test('FANOUT-6 a backlog in Redis is delivered in batches of bounded size', async () => {
  const sizes: number[] = []
  const proxy = await openProxy()
  const log = await openRedisLog({
    url: `redis://127.0.0.1:${proxy.port}`,
    retention: keepAll,
    ...singleNode,
  })
  log.subscribe({
    onStored: ({ messages }) => void sizes.push(messages.length),
    onRemoved: () => undefined,
    onLogBroken: () => undefined,
  })
  onTestFinished(() => log.close())
  const { log: other } = await openNode()
  proxy.links()[1]?.stall('toClient')
  // Each message takes 24 kB as JSON.
  for (let batch = 0; batch < 3; batch++) {
    await append(
      other,
      Array.from({ length: 10 }, () => entry('\u0001'.repeat(4_000))),
    )
  }
  proxy.resume()
  await expect.poll(() => sizes.reduce((sum, size) => sum + size, 0)).toBe(30)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
})

test('MODERATION-1 a message that an earlier version stored without its sender is not listed under any sender', async () => {
  const { log } = await openNode()
  await appendTexts(log, 'early')
  const name = redis.command('HGET', '{room}:state', 'log')
  redis.command('HSET', `{room}:texts:${name}`, '1', '["alice"]\n["early",1700000000000]')
  expect(await log.senderOf(1)).toBeNull()
  expect(await log.seqsOfSender(entry('').sender)).toStrictEqual([])
  expect(await log.listForOperator(1)).toMatchObject([{ seq: 1, message: { message: 'early' }, sender: null }])
})
