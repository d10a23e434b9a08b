import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { probes } from '../../contract/routes.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { mountSmallDisk } from './small-disk.ts'
import { spawnServer } from '../support/spawn-server.ts'

const isRoot = process.getuid?.() === 0
const sendsWhileFull = 300

/** Starts a server with its database and log on one small disk. */
async function startOn(folder: string) {
  const port = await findFreePort()
  const logFile = join(folder, 'server.log')
  const server = spawnServer({
    env: { DATA_DIR: join(folder, 'data'), PORT: String(port), MESSAGES_PER_SECOND: '0' },
    stdout: openSync(logFile, 'a'),
  })
  const url = `http://127.0.0.1:${port}`
  const statusOf = (path: string) =>
    fetch(url + path, { signal: AbortSignal.timeout(10_000) }).then((response) => response.status, String)
  await expect.poll(() => statusOf(probes.ready), { timeout: 60_000 }).toBe(200)
  const client = io(url, { transports: ['websocket'], forceNew: true })
  onTestFinished(() => void client.close())
  return { server, client: await waitForConnect(client), statusOf, log: () => readFileSync(logFile, 'utf8') }
}

async function send(client: Socket, text: string): Promise<boolean> {
  const message = { username: 'ann', message: text, createdTime: 1 }
  const ack = (await client.timeout(20_000).emitWithAck(events.sendMessage, message)) as { ok: boolean }
  return ack.ok
}

function storedTexts(dataDir: string): string[] {
  const database = new DatabaseSync(dataFiles(dataDir).messages, { readOnly: true })
  const rows = database.prepare('SELECT message FROM messages').all()
  database.close()
  return rows.map(({ message }) => String(message))
}

test.skipIf(!isRoot)(
  'OPERATING-8 a server whose disk is full, with its log on it, responds to health checks throughout, loses no acknowledged message and recovers by itself',
  async () => {
    const disk = mountSmallDisk(8 * 1_024 * 1_024)
    const { server, client, statusOf, log } = await startOn(disk.folder)
    const acknowledged: string[] = []
    let number = 0
    async function sendNext(): Promise<boolean> {
      const text = `message ${number++}`
      const isStored = await send(client, `${text} ${'x'.repeat(3_000)}`)
      if (isStored) acknowledged.push(text)
      return isStored
    }
    for (let i = 0; i < 10; i++) expect(await sendNext()).toBe(true)

    disk.fill()
    let rejections = 0
    for (let sent = 0; sent < sendsWhileFull; sent++) {
      if (!(await sendNext())) rejections++
      expect(await statusOf(probes.live)).toBe(200)
    }
    expect(rejections).toBeGreaterThan(10)
    await expect.poll(() => statusOf(probes.ready)).toBe(503)

    disk.free()
    await expect.poll(() => statusOf(probes.ready)).toBe(200)
    await expect.poll(sendNext).toBe(true)
    await expect.poll(log).toContain('storage available')
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    const stored = new Set(storedTexts(join(disk.folder, 'data')).map((text) => text.split(' x')[0]))
    expect(acknowledged.filter((text) => !stored.has(text))).toStrictEqual([])
    expect(
      log()
        .trim()
        .split('\n')
        .every((line) => line.startsWith('{') && line.endsWith('}')),
    ).toBe(true)
  },
  240_000,
)

test.skipIf(!isRoot)(
  'OPERATING-8 SIGTERM stops the server gracefully while its disk is full',
  async () => {
    const disk = mountSmallDisk(8 * 1_024 * 1_024)
    const { server, client } = await startOn(disk.folder)
    expect(await send(client, 'before')).toBe(true)
    disk.fill()
    while (await send(client, 'x'.repeat(3_000)));
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    disk.free()
    expect(storedTexts(join(disk.folder, 'data'))).toContain('before')
  },
  120_000,
)
