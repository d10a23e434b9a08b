import { expect, onTestFinished, test } from 'vitest'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { checkRedis } from '../../server/storage/redis/check-redis.ts'
import { startRedis } from '../support/redis-server.ts'

test('REDIS-1 a start waits for a Redis that does not respond for some seconds', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.close())
  redis.pause()
  const checking = checkRedis({ url: redis.url, durability: 'strict' }, ignoreEvents)
  // The pause is longer than the deadline of one attempt.
  setTimeout(() => redis.resume(), 3_500)
  expect(await checking).toStrictEqual([])
})
