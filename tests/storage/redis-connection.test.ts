import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { collectEvents } from '../../server/observe/events.suite.ts'
import { createStorageHealth } from '../../server/observe/storage-health.ts'
import { openRedisConnection } from '../../server/storage/redis/redis-connection.ts'
import { RedisError } from '../../server/storage/redis/redis-error.ts'
import { createRedisLink } from '../../server/storage/redis/redis-link.ts'
import { compareRetention, watchDurability } from '../../server/storage/redis/watch-settings.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())
beforeEach(() => void redis.command('FLUSHALL'))

const setKey = ['SET', 'key', '1']
const runScript = ['EVAL', "return redis.call('SET', KEYS[1], '1')", '1', 'key']

test.each([
  { kind: 'command', words: setKey, serveStaleData: 'yes', reply: /^READONLY / },
  { kind: 'script', words: runScript, serveStaleData: 'yes', reply: /^READONLY / },
  { kind: 'script without a primary', words: runScript, serveStaleData: 'no', reply: /^MASTERDOWN / },
])(
  'REDIS-2 a connection closes when its server has become a replica and rejects a $kind',
  async ({ words, serveStaleData, reply }) => {
    const connection = await openRedisConnection(redis.url, 'test')
    onTestFinished(() => connection.close())
    expect(await connection.command(words)).toBe('OK')
    redis.command('CONFIG', 'SET', 'replica-serve-stale-data', serveStaleData)
    redis.command('REPLICAOF', '127.0.0.1', '1')
    onTestFinished(() => void redis.command('REPLICAOF', 'NO', 'ONE'))
    await expect(connection.command(words)).rejects.toThrow(reply)
    expect(connection.isOpen()).toBe(false)
  },
)

test('REDIS-2 a connection stays open after an error reply that another command would not get', async () => {
  const connection = await openRedisConnection(redis.url, 'test')
  onTestFinished(() => connection.close())
  await connection.command(setKey)
  await expect(connection.command(['LPUSH', 'key', 'READONLY '])).rejects.toThrow(/^WRONGTYPE /)
  expect(connection.isOpen()).toBe(true)
})

test('REDIS-2 a connection lost right after it was opened is reported as a failure with its reason, and not as a recovery', async () => {
  // The frozen clock keeps the link within its back-off.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const link = createRedisLink(redis.url, 'test')
  onTestFinished(() => link.close())
  const reported: unknown[] = []
  const health = createStorageHealth(async () => void (await link.connection()), {
    onFailed: (error) => reported.push(error),
    onRecovered: () => reported.push('recovered'),
  })
  onTestFinished(() => health.stop())
  expect(await health.isHealthy()).toBe(true)
  const connection = await link.connection()
  redis.command('CLIENT', 'KILL', 'TYPE', 'normal')
  await expect.poll(() => connection.isOpen()).toBe(false)
  expect(await health.isHealthy()).toBe(false)
  expect(reported).toStrictEqual([expect.any(RedisError)])
  expect(String(reported[0])).toContain('The connection to Redis was lost.')
})

test('REDIS-2 failed attempts to connect cost little CPU time', async () => {
  const attempts = 40
  const started = process.cpuUsage()
  for (let i = 0; i < attempts; i++) {
    await expect(openRedisConnection('redis://127.0.0.1:1', `test-${i % 2}`)).rejects.toThrow('ECONNREFUSED')
  }
  const { user, system } = process.cpuUsage(started)
  // An attempt takes about 45 ms when it builds the client class, and less than 1 ms otherwise.
  expect((user + system) / 1_000 / attempts).toBeLessThan(15)
})

test('REDIS-5 a Redis that returns with weaker durability is reported once, and again when it is durable', async () => {
  const link = createRedisLink(redis.url, 'test')
  onTestFinished(() => link.close())
  const { report, of } = collectEvents()
  onTestFinished(watchDurability(link, [], report, 10).stop)
  redis.command('CONFIG', 'SET', 'appendfsync', 'everysec')
  onTestFinished(() => void redis.command('CONFIG', 'SET', 'appendfsync', 'always'))
  const changes = () => of('redis-durability-changed').map(({ weaknesses }) => weaknesses)
  await expect.poll(changes).toStrictEqual([['appendfsync everysec']])
  redis.command('CLIENT', 'KILL', 'TYPE', 'normal')
  redis.command('CONFIG', 'SET', 'appendfsync', 'always')
  await expect.poll(changes).toStrictEqual([['appendfsync everysec'], []])
})

test('REDIS-5 a node with another retention than the node before it is reported, and one with the same is not', async () => {
  const link = createRedisLink(redis.url, 'test')
  onTestFinished(() => link.close())
  const { report, of } = collectEvents()
  const start = (hours: number) => compareRetention(link, { maxAgeMs: hours * 3_600_000, maxMessages: 1_000 }, report)
  await start(24)
  await start(24)
  expect(of('retention-differs')).toStrictEqual([])
  await start(1)
  const [own, other] = [1, 24].map((hours) => `RETENTION_HOURS=${hours} RETENTION_MESSAGES=1000`)
  expect(of('retention-differs')).toStrictEqual([{ type: 'retention-differs', own, other }])
})
