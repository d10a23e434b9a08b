import { closeSync, copyFileSync, openSync, renameSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { probes, routes } from '../../contract/routes.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { startServer } from '../support/start-server.ts'
import { join, rejected, send, sendUntilStored, status } from './storage-client.ts'

async function startWithLog() {
  const lines: string[] = []
  const sink = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(String(chunk)), done()) })
  const server = await startServer({}, { log: pino({ level: 'info' }, sink) })
  const { socket } = await join(server.url)
  const files = dataFiles(server.dataDir)
  return { server, socket, files, lines, ready: () => status(server.url + probes.ready) }
}

const register = (server: Awaited<ReturnType<typeof startServer>>, name: string) =>
  server.call(routes.register, { name, email: `${name}@example.org`, password: 'a password' })

const losses: [string, string, (file: string) => void][] = [
  ['deleted', 'was deleted or moved', (file) => rmSync(file)],
  [
    'replaced',
    'was replaced',
    (file) => {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    },
  ],
  ['emptied', 'was emptied', (file) => truncateSync(file)],
  ['left without its write-ahead log', '-wal was deleted', (file) => rmSync(`${file}-wal`)],
]

test.each(losses)(
  'STORAGE-8 after the messages database is %s nothing is acknowledged, the server is not ready, and it logs one line',
  async (_, cause, damage) => {
    const { socket, files, lines, ready } = await startWithLog()
    expect(await send(socket, 'kept')).toStrictEqual({ ok: true, seq: 1 })
    damage(files.messages)
    expect(await send(socket, 'lost')).toStrictEqual(rejected)
    expect(await ready()).toBe(503)
    expect(await send(socket, 'lost')).toStrictEqual(rejected)
    const errorLines = lines.filter((line) => line.includes('storage unavailable'))
    expect(errorLines).toStrictEqual([expect.stringContaining(cause)])
    expect(errorLines[0]).toContain(files.messages)
  },
)

test.each(databaseNames)('STORAGE-8 without the database of the %s the server is not ready', async (name) => {
  const { files, ready } = await startWithLog()
  expect(await ready()).toBe(200)
  rmSync(files[name])
  await expect.poll(ready).toBe(503)
})

test('STORAGE-8 a database that is moved away and back is used again', async () => {
  const { socket, files, ready } = await startWithLog()
  renameSync(files.messages, `${files.messages}.away`)
  expect(await send(socket, 'lost')).toStrictEqual(rejected)
  renameSync(`${files.messages}.away`, files.messages)
  expect(await sendUntilStored(socket, 'kept')).toBe(1)
  await expect.poll(ready).toBe(200)
})

test('STORAGE-8 without the accounts database the server is not ready, registration and login respond with 503, and chat continues', async () => {
  const { server, socket, files, lines, ready } = await startWithLog()
  expect((await register(server, 'alice')).status).toBe(201)
  rmSync(files.accounts)
  for (const response of [
    await register(server, 'bob'),
    await server.call(routes.login, { name: 'alice', password: 'a password' }),
  ]) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ code: 'unavailable' })
  }
  expect(await ready()).toBe(503)
  expect(lines.filter((line) => line.includes('accounts unavailable'))).toHaveLength(1)
  expect(await send(socket, 'goes on')).toStrictEqual({ ok: true, seq: 1 })
})

test('STORAGE-8 after corruption that only the probe finds, sends stay rejected and one line is logged', async () => {
  const { socket, files, lines, ready } = await startWithLog()
  expect(await send(socket, 'kept')).toStrictEqual({ ok: true, seq: 1 })
  expect(await ready()).toBe(200)
  damageProbe(files.messages)
  await expect.poll(ready).toBe(503)
  for (let index = 0; index < 5; index++) {
    expect(await send(socket, 'after the damage')).toStrictEqual(rejected)
    expect(await ready()).toBe(503)
  }
  expect(lines.filter((line) => line.includes('storage unavailable'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('storage available'))).toHaveLength(0)
})

/** Damages the page of the table `probe`, which sends do not touch. */
function damageProbe(file: string): void {
  const other = new DatabaseSync(file)
  // Invalidate the page cache of the server.
  other.exec('UPDATE probe SET id = 1; PRAGMA wal_checkpoint(TRUNCATE)')
  const page = Number(other.prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'probe'`).get()?.['rootpage'])
  other.close()
  const pageBytes = 4_096
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, (page - 1) * pageBytes)
  closeSync(descriptor)
}

test('STORAGE-5 with a locked accounts database registration and login respond with 503, the cause is logged, and chat continues', async () => {
  const { server, socket, files, lines } = await startWithLog()
  expect((await register(server, 'alice')).status).toBe(201)
  const other = new DatabaseSync(files.accounts)
  other.exec('BEGIN EXCLUSIVE')
  const [registered, loggedIn, ack] = await Promise.all([
    register(server, 'bob'),
    server.call(routes.login, { name: 'alice', password: 'a password' }),
    send(socket, 'goes on'),
  ])
  expect(ack).toStrictEqual({ ok: true, seq: 1 })
  for (const response of [registered, loggedIn]) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
  }
  other.close()
  const errorLines = lines.filter((line) => line.includes('account request failed'))
  expect(errorLines).toHaveLength(2)
  for (const line of errorLines) expect(line).toContain('database is locked')
  expect((await register(server, 'bob')).status).toBe(201)
})
