import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'

async function respondsToPing(port: number, withinMs: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  socket.write('PING\r\n')
  const responded = once(socket, 'data').then(() => true)
  const hasResponded = await Promise.race([responded, pause(withinMs, false, { ref: false })])
  socket.destroy()
  return hasResponded
}

test.skipIf(!isInstalled('redis-server'))(
  'CLUSTER-0 the test Redis is durable and can be paused, killed, wiped and restored',
  async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    expect(redis.command('config', 'get', 'appendfsync')).toContain('always')
    redis.command('set', 'word', 'first')
    redis.backUp()
    redis.command('set', 'word', 'second')
    await redis.restart()
    expect(redis.command('get', 'word')).toBe('second')

    redis.pause()
    expect(await respondsToPing(redis.port, 300)).toBe(false)
    redis.resume()
    expect(await respondsToPing(redis.port, 30_000)).toBe(true)

    await redis.restore()
    expect(redis.command('get', 'word')).toBe('first')
    await redis.wipe()
    expect(redis.command('get', 'word')).toBe('')
  },
)

test.skipIf(postgresProgram('postgres') === null)(
  'CLUSTER-0 the test PostgreSQL also runs as root, requires a password, and can be paused, killed and wiped',
  async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.close())
    expect(postgres.query('SHOW fsync')).toBe('on')
    const [, database = ''] = /\/(test_\d+)$/.exec(postgres.createDatabase()) ?? []
    postgres.query('CREATE TABLE words (word text)', database)
    await postgres.restart()
    expect(postgres.query('SELECT count(*) FROM words', database)).toBe('0')
    await postgres.wipe()
    expect(postgres.query(`SELECT count(*) FROM pg_database WHERE datname = '${database}'`)).toBe('0')
  },
)
