import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { append, entry } from '../../server/room/log-fixture.suite.ts'
import { openRedisLog } from '../../server/storage/redis/log/redis-log.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { noClusterEvents } from '../support/no-cluster-events.ts'
import { startRedis } from '../support/redis-server.ts'

const hourMs = 3_600_000
const retention = { maxAgeMs: 24 * hourMs, maxMessages: 100_000 }
const page = { maxMessages: 100, maxCharacters: 100_000 }

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())
beforeEach(() => void redis.command('FLUSHALL'))

async function openNode(port = redis.port) {
  const url = `redis://127.0.0.1:${port}`
  const log = await openRedisLog({
    url,
    retention,
    waitReplicas: 0,
    events: noClusterEvents,
    report: ignoreEvents,
  })
  onTestFinished(() => log.close())
  return log
}

test('STORAGE-1 the log of a version without terms is taken over with its messages and ids, and that version cannot use it any more', async () => {
  const id = randomUUID()
  const stored = [11, 12].map((seq) => ({ seq, message: { ...entry(`text ${seq}`).message, createdTime: seq } }))
  redis.command('HSET', '{room}:meta', 'epoch', 'old', 'head', '12', 'oldest', '11', 'run', 'a:b', 'stamp', '5')
  for (const { seq, message } of stored) {
    const fields = ['u', message.username, 'm', message.message, 't', `${seq}`, 's', `${Date.now()}`]
    redis.command('XADD', '{room}:log:old', `${seq}-0`, ...fields)
  }
  redis.command('ZADD', '{room}:ids:old', '12', id)
  const [log, other] = [await openNode(), await openNode()]
  expect(log.bounds()).toStrictEqual({ epoch: 'old', oldest: 11, head: 12 })
  expect(await other.readAfter({ epoch: 'old', seq: 10 }, page)).toStrictEqual(stored)
  const repeated = { ...entry('text 12', { id }), message: { ...entry('text 12').message, createdTime: 12 } }
  expect(await append(log, [repeated, entry('next')])).toStrictEqual([
    { seq: 12, repeated: true },
    { seq: 13, repeated: false },
  ])
  expect(await append(other, [{ ...repeated, message: { ...repeated.message, message: 'x' } }])).toStrictEqual([
    { rejected: 'id_conflict' },
  ])
  await expect.poll(() => other.bounds().head).toBe(13)
  expect((await other.readAfter({ epoch: 'old', seq: 11 }, page))?.map(({ seq }) => seq)).toStrictEqual([12, 13])
  expect(redis.command('HMGET', '{room}:meta', 'epoch')).toMatch(/WRONGTYPE/)
})

test('STORAGE-6 a clock of Redis that jumps by more than the retention and back expires no message', async () => {
  const log = await openNode()
  /** Changes the difference between the clock of Redis and the time of the log, as a jump of the clock does. */
  const jumpClock = (ms: number) => {
    const [now, offset, ...held] = redis.command('HGET', '{room}:state', 'time').split(' ')
    redis.command('HSET', '{room}:state', 'time', [now, Number(offset) - ms, ...held].join(' '))
  }
  const timeOfLog = () => Number(redis.command('HGET', '{room}:state', 'time').split(' ')[0])
  await append(log, [entry('before')])
  const startedAt = timeOfLog()
  for (const jumpMs of [25 * hourMs, -25 * hourMs, -hourMs, 50 * hourMs]) {
    jumpClock(jumpMs)
    await append(log, [entry('after a jump')])
    // A node that starts during the jump does not adopt the clock either.
    await (await openNode()).check()
  }
  expect(timeOfLog() - startedAt).toBeLessThan(hourMs)
  expect(log.bounds().oldest).toBe(1)
})

test('DELIVERY-4 messages of a lost log that wait for their batch are not published under the new epoch', async () => {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  const [log, other] = [await openNode(proxy.port), await openNode()]
  const published: string[] = []
  let adopted: Promise<unknown> | null = null
  log.subscribe({
    onStored({ epoch, messages }) {
      published.push(...messages.map(({ seq }) => `${epoch} ${seq}`))
      if (adopted !== null) return
      redis.command('FLUSHALL')
      // The first check finds that the log was deleted. A later check adopts the new log.
      adopted = vi.waitFor(() => log.check(), { interval: 20, timeout: 30_000 })
      // After a batch, the reader waits as long as its delivery took. The node adopts the new log meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    },
    onRemoved: () => undefined,
    onLogBroken: ({ epoch, head }) => void published.push(`broken ${epoch} ${head}`),
  })
  const { epoch } = log.bounds()
  proxy.links()[1]?.stall('toClient')
  // Each message takes 24 kB as JSON, so that the messages need more than one batch.
  await append(
    other,
    Array.from({ length: 30 }, () => entry('\u0001'.repeat(4_000))),
  )
  proxy.resume()
  await expect.poll(() => published.some((one) => one.startsWith('broken'))).toBe(true)
  await expect.poll(() => log.check().then(() => 'healthy', String)).toBe('healthy')
  const [outcome] = await append(log, [entry('new')])
  const newest = outcome !== undefined && 'seq' in outcome ? outcome.seq : 0
  await expect.poll(() => published.at(-1)).toBe(`${log.bounds().epoch} ${newest}`)
  const broken = published.findIndex((one) => one.startsWith('broken'))
  expect(published.slice(0, broken).every((one) => one.startsWith(`${epoch} `))).toBe(true)
  expect(published).toHaveLength(broken + 2)
})
