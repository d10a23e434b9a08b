import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { removedText } from '../../contract/constants.ts'
import { collectEvents, ignoreEvents } from '../../server/observe/events.suite.ts'
import { append, entry, keepAll, largePage } from '../../server/room/log-fixture.suite.ts'
import type { Removal } from '../../server/room/removals.ts'
import { openRedisLog } from '../../server/storage/redis/log/redis-log.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { noClusterEvents } from '../support/no-cluster-events.ts'
import { processTree } from '../support/process-tree.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  // With a save point, the node also lets Redis save an RDB file after each rewrite of the AOF. No test reaches the save point.
  redis = await startRedis({ settings: { save: '3600 1', 'repl-diskless-sync-delay': '0' } })
})
afterAll(() => redis.close())
beforeEach(() => void redis.command('FLUSHALL'))

async function openNode(port = redis.port, report = ignoreEvents) {
  const log = await openRedisLog({
    url: `redis://127.0.0.1:${port}`,
    retention: keepAll,
    waitReplicas: 0,
    events: noClusterEvents,
    report,
  })
  const received: (string | Removal)[] = []
  log.subscribe({
    onStored: ({ messages }) => received.push(...messages.map(({ message }) => message.message)),
    onRemoved: (removal) => received.push(removal),
    onLogBroken: () => received.push('broken'),
  })
  onTestFinished(() => log.close())
  return { log, received }
}

const secret = () => `secret ${randomUUID()}`

test('MODERATION-4 the text of a removed message is in no file and not in the slow log of Redis', async () => {
  redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '0')
  const { log } = await openNode()
  const text = secret()
  await append(log, [entry('kept'), entry(text)])
  redis.command('SAVE')
  expect(redis.holdsText(text)).toBe(true)
  expect(redis.command('SLOWLOG', 'GET')).toContain(text)
  redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '10000')
  await log.remove([2])
  await expect.poll(() => redis.holdsText(text)).toBe(false)
  expect(redis.holdsText('kept')).toBe(true)
  await expect.poll(() => redis.command('SLOWLOG', 'GET')).not.toContain(text)
  // All nodes together start at most one rewrite of the files a minute.
  expect(Number(redis.command('PTTL', '{room}:rewrite'))).toBeGreaterThan(30_000)
  const [next, rewrites] = [secret(), () => /aof_rewrites:(\d+)/.exec(redis.command('INFO', 'persistence'))?.[1]]
  const before = rewrites()
  await append(log, [entry(next)])
  await log.remove([3])
  await log.check()
  expect(rewrites()).toBe(before)
  redis.command('DEL', '{room}:rewrite')
  await expect.poll(() => redis.holdsText(next)).toBe(false)
})

test('MODERATION-4 a rewrite of the files that fails is repeated', async () => {
  // Without save points, the only child process of Redis is the process that rewrites the files.
  const own = await startRedis()
  onTestFinished(() => own.close())
  const { log } = await openNode(own.port)
  const text = secret()
  await append(log, [entry(text)])
  own.command('CONFIG', 'SET', 'rdb-key-save-delay', '60000000')
  await log.remove([1])
  const children = () => processTree(own.pid() ?? 0).slice(1)
  await expect.poll(children).toHaveLength(1)
  own.command('CONFIG', 'SET', 'rdb-key-save-delay', '0')
  for (const { pid } of children()) process.kill(pid, 'SIGKILL')
  await expect.poll(() => own.command('INFO', 'persistence')).toContain('aof_last_bgrewrite_status:err')
  await expect.poll(() => own.command('HEXISTS', '{room}:state', 'rewriting')).toBe('0')
  expect(own.holdsText(text)).toBe(true)
  own.command('DEL', '{room}:rewrite')
  await expect.poll(() => own.holdsText(text)).toBe(false)
})

test('MODERATION-4 a Redis that refuses to rewrite its files is reported once; the files are rewritten when it allows that', async () => {
  const own = await startRedis()
  onTestFinished(() => own.close())
  const { report, of } = collectEvents()
  const { log } = await openNode(own.port, report)
  const text = secret()
  await append(log, [entry(text)])
  own.command('ACL', 'SETUSER', 'default', '-bgrewriteaof')
  await log.remove([1])
  const rejections = () =>
    Number(/cmdstat_bgrewriteaof:.*rejected_calls=(\d+)/.exec(own.command('INFO', 'commandstats'))?.[1] ?? 0)
  await expect.poll(rejections).toBe(1)
  own.command('DEL', '{room}:rewrite')
  await expect.poll(rejections).toBe(2)
  expect(own.holdsText(text)).toBe(true)
  own.command('ACL', 'SETUSER', 'default', '+bgrewriteaof')
  own.command('DEL', '{room}:rewrite')
  await expect.poll(() => own.holdsText(text)).toBe(false)
  expect(of('redis-not-erased')).toHaveLength(1)
})

test('MODERATION-4 a failed BGSAVE is retried, so that Redis accepts writes again', async () => {
  const own = await startRedis({ settings: { save: '3600 1' } })
  onTestFinished(() => own.close())
  const { log } = await openNode(own.port)
  await append(log, [entry(secret())])
  // Redis cannot replace a folder by the file that it has saved.
  const obstacle = join(own.command('CONFIG', 'GET', 'dir').split('\n')[1] ?? '', 'dump.rdb', 'folder')
  mkdirSync(obstacle, { recursive: true })
  await log.remove([1])
  const persistence = () => own.command('INFO', 'persistence')
  await expect.poll(persistence).toContain('rdb_last_bgsave_status:err')
  await expect(append(log, [entry('rejected')])).rejects.toThrow('MISCONF')
  rmSync(dirname(obstacle), { recursive: true })
  await expect.poll(persistence).toContain('rdb_last_bgsave_status:ok')
  await expect.poll(() => own.command('HEXISTS', '{room}:state', 'erased')).toBe('0')
  await append(log, [entry('accepted')])
})

test('MODERATION-4 the text of a removed message is in no file of a replica; a replica that cannot rewrite its files is reported', async () => {
  const startReplica = async (settings: Record<string, string>) => {
    const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${redis.port}`, ...settings } })
    onTestFinished(() => replica.close())
    await expect.poll(() => replica.command('INFO', 'replication')).toContain('master_link_status:up')
    return replica
  }
  const [replica, closed] = await Promise.all([
    startReplica({ save: '3600 1' }),
    startReplica({ requirepass: 'other' }),
  ])
  const { report, of } = collectEvents()
  const { log } = await openNode(redis.port, report)
  const text = secret()
  await append(log, [entry(text)])
  await expect.poll(() => replica.holdsText(text)).toBe(true)
  replica.command('SAVE')
  await log.remove([1])
  await expect.poll(() => replica.holdsText(text)).toBe(false)
  await expect
    .poll(() => of('redis-replica-not-erased').map((event) => event.replica))
    .toStrictEqual([`127.0.0.1:${closed.port}`])
})

test('MODERATION-4 a message of a version that stored texts in the stream is removed from memory and files', async () => {
  const [text, id] = [secret(), randomUUID()]
  redis.command('HSET', '{room}:meta', 'epoch', 'old', 'head', '12', 'oldest', '11', 'run', 'a:b', 'stamp', '5')
  for (const [seq, message] of [
    [11, 'a/"b"\n\\/'],
    [12, text],
  ]) {
    const fields = ['u', 'alice', 'm', `${message}`, 't', '1700000000000', 's', `${Date.now()}`]
    redis.command('XADD', '{room}:log:old', `${seq}-0`, ...fields)
  }
  redis.command('ZADD', '{room}:ids:old', '11', id)
  const { log, received } = await openNode()
  await append(log, [entry('next')])
  expect(await log.remove([12])).toStrictEqual([12])
  const read = await log.readAfter({ epoch: 'old', seq: 10 }, largePage)
  expect(read?.map(({ message }) => message.message)).toStrictEqual(['a/"b"\n\\/', removedText, 'next'])
  expect(await append(log, [entry('a/"b"\n\\/', { id }), entry('last')])).toStrictEqual([
    { seq: 11, repeated: true },
    { seq: 14, repeated: false },
  ])
  await expect.poll(() => received).toStrictEqual(['next', { removals: 1, seqs: [12] }, 'last'])
  await expect.poll(() => redis.holdsText(text)).toBe(false)
})

test('MODERATION-4 a message that an earlier version removed stays removed', async () => {
  const { log } = await openNode()
  await append(log, [entry('text')])
  const stored = `["alice","a","192.0.2.1",1]\n["${removedText}",5]`
  const key = redis.command('KEYS', '{room}:texts:*').trim()
  redis.command('HSET', key, '1', stored)
  expect(await log.listForOperator(1)).toMatchObject([{ message: { message: removedText }, removed: true }])
  expect(await log.remove([1])).toStrictEqual([])
  expect(redis.command('HGET', key, '1')).toContain(stored)
})

test('MODERATION-5 every node receives every removal once, in one order, also a node that was disconnected', async () => {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  const [one, two] = [await openNode(), await openNode(proxy.port)]
  await append(one.log, [entry('a'), entry('b'), entry('c')])
  for (const { received } of [one, two]) await expect.poll(() => received).toStrictEqual(['a', 'b', 'c'])
  await one.log.remove([2])
  await expect.poll(() => two.received).toStrictEqual(['a', 'b', 'c', { removals: 1, seqs: [2] }])
  proxy.cut('reset')
  await one.log.remove([3])
  const { epoch } = one.log.bounds()
  // A client that was connected to the first node waits until the second node has received as many removals.
  await expect
    .poll(() => two.log.catchUp({ epoch, seq: 3, removals: 2 })?.then(() => 'done', String) ?? 'done')
    .toBe('done')
  expect(two.log.removals().after(0)).toStrictEqual([2, 3])
  await append(two.log, [entry('d')])
  for (const { received } of [one, two]) {
    const removals = [
      { removals: 1, seqs: [2] },
      { removals: 2, seqs: [3] },
    ]
    await expect.poll(() => received).toStrictEqual(['a', 'b', 'c', ...removals, 'd'])
  }
  expect((await openNode()).log.removals().after(1)).toStrictEqual([3])
})
