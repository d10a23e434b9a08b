import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join as joinPath } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Cursor } from '../../contract/messages.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { join, send } from './storage-client.ts'

type StopSignal = 'SIGINT' | 'SIGKILL'

/** Runs a server on this folder while `work` runs. Only a server that is killed needs its own process. */
async function withServer<Result>(
  folder: string,
  end: StopSignal,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const env = { DATA_DIR: folder, MESSAGES_PER_SECOND: '0' }
  if (end === 'SIGINT') {
    const { url, drain } = await startServer(env)
    const result = await work(url)
    await drain()
    return result
  }
  const server = spawnServer({ env })
  const result = await work(await server.opened())
  server.kill(end)
  await server.exited
  return result
}

/** Sends this many messages and returns the last position. */
function sendMessages(folder: string, count: number, end: StopSignal = 'SIGINT'): Promise<Cursor> {
  return withServer(folder, end, async (url) => {
    const { socket, placed } = await join(url)
    const acks = await Promise.all(Array.from({ length: count }, (_, index) => send(socket, `message ${index}`)))
    const seqs = acks.map((ack) => (ack.ok ? ack.seq : 0))
    return { epoch: placed.epoch, seq: Math.max(...seqs) }
  })
}

const removeWith = (file: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'STORAGE-2 after %s and a restart the epoch stays and clients resume without a gap',
  async (end) => {
    const folder = temporaryFolder()
    const cursor = await sendMessages(folder, 20, end)
    const again = await withServer(folder, 'SIGINT', async (url) => (await join(url, cursor)).placed)
    expect(again).toMatchObject(cursor)
  },
)

test('STORAGE-2 after an upgrade from a version without the creation time in the head file the epoch stays', async () => {
  const folder = temporaryFolder()
  const cursor = await sendMessages(folder, 2)
  const { head } = dataFiles(folder)
  const { bornMs, ...record } = JSON.parse(readFileSync(head, 'utf8')) as Record<string, unknown>
  expect(bornMs).toEqual(expect.any(Number))
  writeFileSync(head, JSON.stringify(record).padEnd(127) + '\n')
  const again = await withServer(folder, 'SIGINT', async (url) => (await join(url, cursor)).placed)
  expect(again).toMatchObject(cursor)
})

const restores: [string, (folder: string, backup: string) => void][] = [
  ['written over the database', (folder, backup) => copyFileSync(backup, dataFiles(folder).messages)],
  [
    'put in the place of the removed database',
    (folder, backup) => {
      removeWith(dataFiles(folder).messages)
      copyFileSync(backup, dataFiles(folder).messages)
    },
  ],
  [
    'restored together with the head file',
    (folder, backup) => {
      const { messages, head } = dataFiles(folder)
      removeWith(messages)
      copyFileSync(backup, messages)
      copyFileSync(`${backup}.head`, head)
    },
  ],
  [
    'written over the database, with the head file removed as documented',
    (folder, backup) => {
      copyFileSync(backup, dataFiles(folder).messages)
      copyFileSync(`${backup}.head`, dataFiles(folder).head)
      rmSync(dataFiles(folder).head)
    },
  ],
]

test.each(restores)(
  'STORAGE-2 a backup %s causes a new epoch, so that a returning client is notified of the gap and misses no new message',
  async (_, restore) => {
    const folder = temporaryFolder()
    const backup = `${temporaryFolder()}/backup`
    await sendMessages(folder, 20)
    copyFileSync(dataFiles(folder).messages, backup)
    copyFileSync(dataFiles(folder).head, `${backup}.head`)
    const cursor = await sendMessages(folder, 30)
    restore(folder, backup)

    await withServer(folder, 'SIGINT', async (url) => {
      const sender = await join(url)
      // Send more messages than were lost: under the old epoch the returning client would treat the first new messages
      // as received.
      await Promise.all(Array.from({ length: 35 }, (_, index) => send(sender.socket, `new ${index}`)))
      const returning = await join(url, cursor)
      expect(returning.placed.epoch).not.toBe(cursor.epoch)
      expect(returning.placed.seq).toBe(20)
      expect(await send(sender.socket, 'after the restore')).toMatchObject({ ok: true })
      const texts = [...Array.from({ length: 35 }, (_, index) => `new ${index}`), 'after the restore']
      expect(await returning.received(36)).toStrictEqual(texts.map((text, index) => [21 + index, text]))
    })
  },
)

test('STORAGE-2 after the data folder was rolled back in place, only a client that had received more is notified, and gets every new message', async () => {
  const folder = temporaryFolder()
  const earlier = temporaryFolder()
  const { messages, head } = dataFiles(folder)
  await sendMessages(folder, 50)
  for (const file of [messages, head]) copyFileSync(file, joinPath(earlier, basename(file)))
  const [seenMore, seenLess] = await withServer(folder, 'SIGINT', async (url) => {
    const client = await join(url)
    for (let index = 0; index < 30; index++) await send(client.socket, `lost ${index}`)
    return [await client.lastPosition(30), client.placed] as const
  })
  expect(seenMore).toMatchObject({ seq: 80 })
  // Restoring a snapshot keeps the inodes, and rolls the head file back together with the log.
  for (const file of [messages, head]) copyFileSync(joinPath(earlier, basename(file)), file)
  await sendMessages(folder, 60)
  await withServer(folder, 'SIGINT', async (url) => {
    const texts = Array.from({ length: 60 }, (_, index) => [51 + index, `message ${index}`])
    const notified = await join(url, seenMore)
    expect(notified.placed).toMatchObject({ epoch: seenLess.epoch, seq: 50 })
    expect(await notified.received(60)).toStrictEqual(texts)
    const continuing = await join(url, seenLess)
    expect(continuing.placed).toStrictEqual(seenLess)
    expect(await continuing.received(60)).toStrictEqual(texts)
  })
})

test('STORAGE-2 after restoring the backup of an empty log a client with a cursor at 0 of the lost log is notified of a gap', async () => {
  const folder = temporaryFolder()
  const backup = `${temporaryFolder()}/backup`
  const fresh = await withServer(folder, 'SIGINT', async (url) => (await join(url)).placed)
  expect(fresh.seq).toBe(0)
  copyFileSync(dataFiles(folder).messages, backup)
  await sendMessages(folder, 2)
  removeWith(dataFiles(folder).messages)
  copyFileSync(backup, dataFiles(folder).messages)
  const returned = await withServer(folder, 'SIGINT', async (url) => (await join(url, fresh)).placed)
  expect(returned.epoch).not.toBe(fresh.epoch)
  expect(returned.seq).toBeGreaterThan(0)
})

test('STORAGE-12 a message deleted by hand causes one gap for clients that need it, and appends continue', async () => {
  const folder = temporaryFolder()
  const { epoch } = await sendMessages(folder, 20)
  const database = new DatabaseSync(dataFiles(folder).messages)
  database.exec('DELETE FROM messages WHERE seq = 10')
  database.close()
  await withServer(folder, 'SIGINT', async (url) => {
    const before = await join(url, { epoch, seq: 5 })
    const behind = await join(url, { epoch, seq: 15 })
    expect((await behind.received(5)).map(([seq]) => seq)).toStrictEqual([16, 17, 18, 19, 20])
    await before.cursors.atLeast(2)
    expect(await send(behind.socket, 'on')).toStrictEqual({ ok: true, seq: 21 })
    const got = (await before.received(5)).map(([seq]) => seq)
    expect(got).toStrictEqual([6, 7, 8, 9, 21])
    expect(before.cursors.seen.map(([cursor]) => cursor)).toMatchObject([
      { epoch, seq: 5 },
      { epoch, seq: 20 },
    ])
  })
})

test('STORAGE-12 no seq is assigned twice after the newest message is deleted by hand or the head is set back', async () => {
  const folder = temporaryFolder()
  await sendMessages(folder, 20)
  const database = new DatabaseSync(dataFiles(folder).messages)
  database.exec('DELETE FROM messages WHERE seq = 20')
  database.close()
  expect((await sendMessages(folder, 1)).seq).toBe(21)
  const again = new DatabaseSync(dataFiles(folder).messages)
  again.exec('UPDATE room SET head = 3')
  again.close()
  expect((await sendMessages(folder, 1)).seq).toBe(22)
})
