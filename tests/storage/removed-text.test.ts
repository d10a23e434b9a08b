import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removedText } from '../../contract/constants.ts'
import { projectRoot } from '../support/project-root.ts'
import { adminCommand } from '../support/admin-command.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import { serverEntry } from '../support/server-entry.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { join, send } from './storage-client.ts'

/** Starts a server that writes heap snapshots on request. */
async function startNode(env: Record<string, string>) {
  const folder = temporaryFolder()
  const snapshots = joinPath(folder, 'snapshots')
  mkdirSync(snapshots)
  const data = joinPath(folder, 'data')
  const preload = ['--import', joinPath(projectRoot, 'tests/support/heap-snapshots.ts')]
  const server = spawnServer({
    command: [process.execPath, ...preload, serverEntry],
    env: {
      DATA_DIR: data,
      ADMIN_SOCKET: joinPath(folder, 'admin.sock'),
      LOG_LEVEL: 'trace',
      HEAP_SNAPSHOTS: snapshots,
      ...env,
    },
  })
  const url = await server.opened()

  /**
   * Takes a heap snapshot of each thread. A snapshot begins with a garbage collection. Returns a function that returns the
   * threads whose heaps contain a text.
   */
  async function takeHeapSnapshots(): Promise<(text: string) => string[]> {
    server.kill('SIGUSR2')
    await expect.poll(() => readdirSync(snapshots), { timeout: 60_000 }).toContain('complete')
    const heaps = readdirSync(snapshots).map((thread) => ({ thread, heap: readFileSync(joinPath(snapshots, thread)) }))
    return (text) => heaps.filter(({ heap }) => heap.includes(text)).map(({ thread }) => thread)
  }

  const files = () => readdirSync(data).map((name) => readFileSync(joinPath(data, name)))
  return {
    url,
    takeHeapSnapshots,
    isInFiles: (text: string) => files().some((content) => content.includes(text)),
    output: () => server.output.stdout + server.output.stderr,
    admin: (...words: string[]) => adminCommand(joinPath(folder, 'admin.sock'), words),
  }
}

type Node = Awaited<ReturnType<typeof startNode>>

/**
 * Sends, delivers, replays and removes a text. Other messages follow, so that no buffer or regular expression holds the
 * text as its last input. Returns a check that replay delivers the message without its text.
 */
async function removeText(nodes: readonly [Node, ...Node[]], text: string): Promise<() => Promise<void>> {
  const [node] = nodes
  const clients = await Promise.all(nodes.map(({ url }) => join(url)))
  const [first] = clients
  if (first === undefined) throw new Error('no client')
  await send(first.socket, 'before')
  await send(first.socket, text)
  for (const client of clients) await client.received(2)
  for (const { url } of nodes) expect(await (await join(url, first.placed)).received(2)).toHaveLength(2)
  expect((await node.admin('messages', 'remove', '2')).exitCode).toBe(0)
  for (const { url } of nodes) for (const word of ['one', 'two']) await send((await join(url)).socket, word)
  return async () => {
    for (const { url } of nodes)
      expect((await (await join(url, first.placed)).received(2))[1]).toStrictEqual([2, removedText])
  }
}

test('MODERATION-4 on one server, a removed text is in no file, heap snapshot or log line', async () => {
  const node = await startNode({})
  const text = `secret ${randomUUID()}`
  const expectReplay = await removeText([node], text)
  expect(node.isInFiles('before')).toBe(true)
  expect(node.isInFiles(text)).toBe(false)
  const threadsWith = await node.takeHeapSnapshots()
  expect(threadsWith(text)).toStrictEqual([])
  // The snapshots contain texts that were not removed, and include the storage threads.
  expect(threadsWith('before')).toContain('main')
  expect(threadsWith('messages.sqlite').length).toBeGreaterThan(1)
  expect(node.output()).not.toContain(text)
  await expectReplay()
})

test('MODERATION-4 on three nodes, a removed text is in no file of Redis, heap snapshot or log line', async () => {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres({ settings: { fsync: 'off' } })])
  onTestFinished(() => Promise.all([redis.close(), postgres.close()]).then(() => undefined))
  const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.createDatabase() }
  const nodes = await Promise.all([startNode(env), startNode(env), startNode(env)])
  const text = `secret ${randomUUID()}`
  const expectReplay = await removeText(nodes, text)
  await expect.poll(() => redis.holdsText(text)).toBe(false)
  redis.command('SAVE')
  expect(redis.holdsText(text)).toBe(false)
  for (const threadsWith of await Promise.all(nodes.map((node) => node.takeHeapSnapshots())))
    expect(threadsWith(text)).toStrictEqual([])
  for (const node of nodes) expect(node.output()).not.toContain(text)
  await expectReplay()
})
