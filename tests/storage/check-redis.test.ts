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

test('REDIS-1 a start waits for a Redis that loads its data', async () => {
  // While Redis loads its data, it handles commands after each kilobyte of the base file.
  const loading = { 'key-load-delay': '20000', 'loading-process-events-interval-bytes': '1024' }
  const settings = { ...loading, rdbcompression: 'no' }
  const redis = await startRedis({ settings })
  onTestFinished(() => redis.close())
  redis.command('EVAL', "for i = 1, 100 do redis.call('SET', i, string.rep(i .. ' ', 100)) end", '0')
  redis.command('BGREWRITEAOF')
  await expect.poll(() => redis.command('INFO', 'persistence')).toContain('aof_rewrite_in_progress:0')
  await redis.kill()
  const ready = redis.start()
  const isLoading = () => {
    try {
      return redis.command('INFO', 'persistence').includes('loading:1')
    } catch {
      return false
    }
  }
  await expect.poll(isLoading).toBe(true)
  expect(await checkRedis({ url: redis.url, durability: 'strict' }, ignoreEvents)).toStrictEqual([])
  expect(redis.command('INFO', 'persistence')).toMatch(/^loading:0/m)
  await ready
})
