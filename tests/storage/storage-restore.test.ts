import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Cursor } from '../../contract/messages.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { join, send } from './storage-client.ts'

type Ended = 'SIGINT' | 'SIGKILL'

/** Runs a server on this folder for as long as `work` takes. */
async function whileOpen<Result>(folder: string, end: Ended, work: (url: string) => Promise<Result>): Promise<Result> {
  const server = spawnServer({ env: { DATA_DIR: folder, MESSAGES_PER_SECOND: '0' } })
  const result = await work(await server.opened())
  server.kill(end)
  await server.exited
  return result
}

/** Sends this many; where the sender then stands. */
function speak(folder: string, count: number, end: Ended = 'SIGINT'): Promise<Cursor> {
  return whileOpen(folder, end, async (url) => {
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
  'STORAGE-2 the epoch stays over %s and a new start: nothing was lost, and no page is told so',
  async (end) => {
    const folder = temporaryFolder()
    const stood = await speak(folder, 20, end)
    const again = await whileOpen(folder, 'SIGINT', async (url) => (await join(url, stood)).placed)
    expect(again).toStrictEqual(stood)
  },
)

test('STORAGE-2 after an upgrade from a version that did not write the birth down the epoch stays', async () => {
  const folder = temporaryFolder()
  const stood = await speak(folder, 2)
  const { head } = dataFiles(folder)
  const { bornMs, ...record } = JSON.parse(readFileSync(head, 'utf8')) as Record<string, unknown>
  expect(bornMs).toEqual(expect.any(Number))
  writeFileSync(head, JSON.stringify(record).padEnd(127) + '\n')
  const again = await whileOpen(folder, 'SIGINT', async (url) => (await join(url, stood)).placed)
  expect(again).toStrictEqual(stood)
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
    'restored together with the file that knows the head',
    (folder, backup) => {
      const { messages, head } = dataFiles(folder)
      removeWith(messages)
      copyFileSync(backup, messages)
      copyFileSync(`${backup}.head`, head)
    },
  ],
  [
    'written over the database, and the file that knows the head removed as the manual says',
    (folder, backup) => {
      copyFileSync(backup, dataFiles(folder).messages)
      copyFileSync(`${backup}.head`, dataFiles(folder).head)
      rmSync(dataFiles(folder).head)
    },
  ],
]

test.each(restores)(
  'STORAGE-2 a backup %s: a new epoch, so a returning page is told that messages are missing, and misses none of the new ones',
  async (_, restore) => {
    const folder = temporaryFolder()
    const backup = `${temporaryFolder()}/backup`
    await speak(folder, 20)
    copyFileSync(dataFiles(folder).messages, backup)
    copyFileSync(dataFiles(folder).head, `${backup}.head`)
    const stood = await speak(folder, 30)
    restore(folder, backup)

    await whileOpen(folder, 'SIGINT', async (url) => {
      const speaker = await join(url)
      // As many as were lost and more: under the old epoch the returning page would take the first for seen ones.
      await Promise.all(Array.from({ length: 35 }, (_, index) => send(speaker.socket, `new ${index}`)))
      const returning = await join(url, stood)
      expect(returning.placed.epoch).not.toBe(stood.epoch)
      expect(await send(speaker.socket, 'for everybody')).toMatchObject({ ok: true })
      expect(await returning.received(1)).toStrictEqual([[returning.placed.seq + 1, 'for everybody']])
    })
  },
)

test('STORAGE-2 a backup of an empty room stands behind 0: a page that stood at 0 of the lost log is told of a gap', async () => {
  const folder = temporaryFolder()
  const backup = `${temporaryFolder()}/backup`
  const fresh = await whileOpen(folder, 'SIGINT', async (url) => (await join(url)).placed)
  expect(fresh.seq).toBe(0)
  copyFileSync(dataFiles(folder).messages, backup)
  await speak(folder, 2)
  removeWith(dataFiles(folder).messages)
  copyFileSync(backup, dataFiles(folder).messages)
  const returned = await whileOpen(folder, 'SIGINT', async (url) => (await join(url, fresh)).placed)
  expect(returned.epoch).not.toBe(fresh.epoch)
  expect(returned.seq).toBeGreaterThan(0)
})

test('STORAGE-12 a message deleted by hand is a gap, said once to whoever needs it, and the room goes on', async () => {
  const folder = temporaryFolder()
  const { epoch } = await speak(folder, 20)
  const database = new DatabaseSync(dataFiles(folder).messages)
  database.exec('DELETE FROM messages WHERE seq = 10')
  database.close()
  await whileOpen(folder, 'SIGINT', async (url) => {
    const before = await join(url, { epoch, seq: 5 })
    const behind = await join(url, { epoch, seq: 15 })
    expect((await behind.received(5)).map(([seq]) => seq)).toStrictEqual([16, 17, 18, 19, 20])
    await before.cursors.atLeast(2)
    expect(await send(behind.socket, 'on')).toStrictEqual({ ok: true, seq: 21 })
    const got = (await before.received(5)).map(([seq]) => seq)
    expect(got).toStrictEqual([6, 7, 8, 9, 21])
    expect(before.cursors.seen).toStrictEqual([[{ epoch, seq: 5 }], [{ epoch, seq: 20 }]])
  })
})

test('STORAGE-12 the newest message deleted by hand, or the head set back: no seq is given out twice', async () => {
  const folder = temporaryFolder()
  await speak(folder, 20)
  const database = new DatabaseSync(dataFiles(folder).messages)
  database.exec('DELETE FROM messages WHERE seq = 20')
  database.close()
  expect((await speak(folder, 1)).seq).toBe(21)
  const again = new DatabaseSync(dataFiles(folder).messages)
  again.exec('UPDATE room SET head = 3')
  again.close()
  expect((await speak(folder, 1)).seq).toBe(22)
})
