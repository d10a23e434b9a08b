import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createStorageHealth } from '../../server/backing/storage-health.ts'
import { RedisError } from '../../server/redis/redis-error.ts'
import { createRedisLink } from '../../server/redis/redis-link.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

test('REDIS-2 a connection that is lost right after it was made is a failure with a reason, and no recovery', async () => {
  // The clock stands still: the test is within the time in which the link does not try again.
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
  expect(await health.isWell()).toBe(true)
  const connection = await link.connection()
  redis.command('CLIENT', 'KILL', 'TYPE', 'normal')
  await expect.poll(() => connection.isOpen()).toBe(false)
  expect(await health.isWell()).toBe(false)
  expect(reported).toStrictEqual([expect.any(RedisError)])
  expect(String(reported[0])).toContain('The connection to Redis was lost.')
})
