import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { isInstalled } from '../../scripts/programs.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { measureAwakeMs } from '../support/measure-awake-time.ts'
import { startRedisPair } from '../support/redis-failover.ts'
import { startRedis } from '../support/redis-server.ts'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { createRosterObserver, describeRoster } from '../../server/room/presence/roster.suite.ts'
import { openRedisRoster, type RosterTiming } from '../../server/storage/redis/roster/redis-roster.ts'
import { rosterKeys } from '../../server/storage/redis/roster/roster-scripts.ts'

const timing: RosterTiming = { heartbeatMs: 200, leaseMs: 1_500, retryMs: 100, arrivalMs: 100 }
const pollOptions = { interval: 20 }

describe.skipIf(!isInstalled('redis-server'))('PRESENCE-2 on a Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  let proxy: Awaited<ReturnType<typeof createTcpProxy>>
  beforeAll(async () => {
    redis = await startRedis()
    proxy = await createTcpProxy(redis.port)
  })
  afterAll(async () => {
    await proxy.close()
    await redis.close()
  })
  beforeEach(() => void redis.command('flushall'))

  const node = () => createRosterObserver((listener) => openRedisRoster(redis.url, listener, ignoreEvents, timing))
  /** Opens a node whose connection to Redis the test can interrupt. */
  const farNode = () =>
    createRosterObserver((listener) =>
      openRedisRoster(`redis://127.0.0.1:${proxy.port}`, listener, ignoreEvents, timing),
    )
  type Node = ReturnType<typeof node>
  const allSee = async (nodes: readonly Node[], ids: readonly string[]) => {
    for (const { sorted } of nodes) await expect.poll(sorted, pollOptions).toStrictEqual(ids.toSorted())
    for (const { violations } of nodes) expect(violations).toStrictEqual([])
  }

  describeRoster('the roster of one node', (listener) => openRedisRoster(redis.url, listener, ignoreEvents, timing))

  test('PRESENCE-2 every node lists all clients, also a node that starts later and a node with thousands of clients', async () => {
    const [a, b] = [node(), node()]
    a.roster.join('a1')
    b.roster.join('b1')
    await allSee([a, b], ['a1', 'b1'])
    const c = node()
    for (let i = 0; i < 3_000; i++) c.roster.join(`c${i}`)
    for (let i = 0; i < 2_999; i++) c.roster.leave(`c${i}`)
    b.roster.leave('b1')
    await allSee([a, b, c], ['a1', 'c2999'])
  })

  test('PRESENCE-3 a node that closes is removed at once, and a node that dies when its lease expires', async () => {
    const a = node()
    const [leaving, dying] = [node(), farNode()]
    leaving.roster.join('leaving')
    dying.roster.join('dying')
    await allSee([a], ['dying', 'leaving'])
    const leaveMs = await measureAwakeMs(async () => {
      await leaving.roster.close()
      await expect.poll(a.sorted, pollOptions).toStrictEqual(['dying'])
    })
    expect(leaveMs).toBeLessThan(timing.leaseMs)

    proxy.stall(['toServer', 'toClient'], 'path')
    await allSee([a], [])
    // An isolated node lists only its own clients.
    a.roster.join('a1')
    await expect.poll(dying.sorted, pollOptions).toStrictEqual(['dying'])
    proxy.resume()
    await allSee([a, dying], ['a1', 'dying'])
  })

  test('PRESENCE-3 a node that reconnects receives the changes that it missed', async () => {
    const [a, far] = [node(), farNode()]
    a.roster.join('a1')
    far.roster.join('f1')
    await allSee([a, far], ['a1', 'f1'])
    proxy.rejectConnections()
    a.roster.join('a2')
    far.roster.leave('f1')
    far.roster.join('f2')
    await allSee([a], ['a1', 'a2'])
    proxy.resume()
    await allSee([a, far], ['a1', 'a2', 'f2'])
  })

  test('PRESENCE-3 after a wipe, a kill or a hang of Redis every node lists all clients again', async () => {
    const [a, b] = [node(), node()]
    a.roster.join('a1')
    b.roster.join('b1')
    await allSee([a, b], ['a1', 'b1'])
    redis.command('flushall')
    b.roster.join('b2')
    await allSee([a, b], ['a1', 'b1', 'b2'])
    await redis.kill()
    a.roster.join('a2')
    // Each node keeps its own clients and removes the clients of other nodes.
    await expect.poll(a.sorted, pollOptions).toStrictEqual(['a1', 'a2'])
    await redis.start()
    await allSee([a, b], ['a1', 'a2', 'b1', 'b2'])
    redis.pause()
    b.roster.leave('b1')
    await expect.poll(a.sorted, pollOptions).toStrictEqual(['a1', 'a2'])
    redis.resume()
    await allSee([a, b], ['a1', 'a2', 'b2'])
  })

  test('PRESENCE-3 every node lists all users after a failover that leaves connections to the old primary open', async () => {
    const pair = await startRedisPair()
    onTestFinished(() => pair.close())
    const onPair = () => createRosterObserver((listener) => openRedisRoster(pair.url, listener, ignoreEvents, timing))
    const [a, b] = [onPair(), onPair()]
    a.roster.join('a1')
    b.roster.join('b1')
    await allSee([a, b], ['a1', 'b1'])
    await pair.failOver()
    a.roster.join('a2')
    b.roster.join('b2')
    await allSee([a, b], ['a1', 'a2', 'b1', 'b2'])
  })

  test('PRESENCE-2 lost changes are recovered from the list', async () => {
    const [a, b] = [node(), node()]
    a.roster.join('a1')
    await allSee([a, b], ['a1'])
    // Make the stream of changes unusable.
    redis.command('del', rosterKeys.changes)
    redis.command('set', rosterKeys.changes, 'no stream')
    a.roster.join('a2')
    await expect.poll(() => redis.command('type', rosterKeys.changes)).toBe('string')
    redis.command('del', rosterKeys.changes)
    await allSee([a, b], ['a1', 'a2'])
  })
})
