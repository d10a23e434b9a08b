import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createStorageHealth } from '../../server/observe/storage-health.ts'
import { openRedisConnection } from '../../server/storage/redis/redis-connection.ts'
import { RedisError } from '../../server/storage/redis/redis-error.ts'
import { createRedisLink } from '../../server/storage/redis/redis-link.ts'
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
