import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { probes } from '../../contract/routes.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { rejected, send, sendUntilStored, status } from './storage-client.ts'

type Received = [ChatMessage, Cursor]

const databaseIn = (folder: string) => dataFiles(folder).messages

test('DELIVERY-1 while the database is locked sends are rejected and not broadcast, and the server is not ready; then it recovers', async () => {
  const server = await startServer({ LOG_LEVEL: 'silent' })
  const sender = await waitForConnect(server.client())
  const observer = server.client({ auth: { channel: 'messages' } })
  const received = collectSocketEvents<Received>(observer, events.receiveMessage)
  await nextEvent(observer, events.cursor)
  expect(await send(sender, 'before')).toStrictEqual({ ok: true, seq: 1 })

  const other = new DatabaseSync(databaseIn(server.dataDir))
  onTestFinished(() => {
    if (other.isOpen) other.close()
  })
  other.exec('BEGIN EXCLUSIVE')
  expect(await Promise.all([send(sender, 'lost'), send(observer, 'lost too')])).toStrictEqual([rejected, rejected])
  await expect.poll(() => status(server.url + probes.ready)).toBe(503)
  expect(await status(server.url + probes.live)).toBe(200)
  other.close()

  expect(await sendUntilStored(sender, 'after')).toBe(2)
  await expect.poll(() => status(server.url + probes.ready)).toBe(200)
  await received.atLeast(2)
  expect(received.seen.map(([{ message }, { seq }]) => [seq, message])).toStrictEqual([
    [1, 'before'],
    [2, 'after'],
  ])
})

test('DELIVERY-1 on a full disk acknowledged messages are stored, others are rejected, and sends succeed when space is free', async () => {
  const folder = temporaryFolder()
  // Limit the file size. Node ignores SIGXFSZ, the signal of this limit, so a write of SQLite fails as on a full disk.
  const limited = `ulimit -S -f 2048 && exec "$0" "$1"`
  const server = spawnServer({
    command: ['/bin/sh', '-c', limited, process.execPath, join(projectRoot, 'server/main.ts')],
    env: { DATA_DIR: folder, MESSAGES_PER_SECOND: '0', LOG_LEVEL: 'info' },
  })
  const url = await server.opened()
  const [sender, observer] = [
    io(url, { transports: ['websocket'] }),
    io(url, { transports: ['websocket'], auth: { positions: true } }),
  ]
  onTestFinished(() => {
    sender.close()
    observer.close()
  })
  const received = collectSocketEvents<Received>(observer, events.receiveMessage)
  await Promise.all([waitForConnect(sender), nextEvent(observer, events.cursor)])
  const text = '😀'.repeat(4_000)
  const acks: SendAck[] = []
  do acks.push(await send(sender, text))
  while (acks.at(-1)?.ok === true && acks.length < 1_000)
  expect(acks.at(-1)).toStrictEqual(rejected)
  expect(acks.length).toBeGreaterThan(10)
  await expect.poll(() => status(url + probes.ready)).toBe(503)
  expect(await send(sender, text)).toStrictEqual(rejected)

  // Free space: a process without the limit moves the write-ahead log into the database.
  const other = new DatabaseSync(databaseIn(folder))
  onTestFinished(() => other.close())
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const last = await sendUntilStored(sender, 'room again')
  await expect.poll(() => status(url + probes.ready)).toBe(200)
  const acked = acks.flatMap((ack) => (ack.ok ? [ack.seq] : []))
  expect(acked).toStrictEqual(acked.map((_, index) => index + 1))
  expect(last).toBe(acked.length + 1)
  await received.atLeast(last)
  expect(received.seen.map(([, { seq }]) => seq)).toStrictEqual([...acked, last])
  expect(other.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: last })
})
