import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { expect, test } from 'vitest'
import { probes, routes } from '../../contract/routes.ts'
import type { DatabaseName } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { join, rejected, send, sendUntilStored, status } from './storage-client.ts'

/** Text that triggers the fault: `server/base/fault-point.ts` acts on a call that contains it. */
const trigger = 'fault-point'

function register(url: string, name: string): Promise<Response> {
  const body = JSON.stringify({ name, email: `${name}@example.org`, password: 'a password' })
  return fetch(url + routes.register, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

const logged = (stdout: string, level: number) =>
  stdout.split('\n').filter((line) => line.includes(`"level":${level},`))

/** Functions that trigger the fault in the thread of each database. */
const triggers: Record<DatabaseName, (url: string) => Promise<unknown>> = {
  messages: async (url) => void (await join(url)).socket.emit('send_message', message(trigger)),
  accounts: (url) => register(url, trigger).catch(() => undefined),
}

test.each(Object.entries(triggers))(
  'STORAGE-3 when the storage thread of the %s dies, the server exits with one fatal line and code 1',
  async (_, triggerFault) => {
    const folder = temporaryFolder()
    const env = { DATA_DIR: folder, NODE_ENV: 'test', FAULT_POINT: 'storage-dies' }
    const server = spawnServer({ env })
    const url = await server.opened()
    expect(await send((await join(url)).socket, 'before')).toStrictEqual({ ok: true, seq: 1 })
    void triggerFault(url)
    expect(await server.exited).toBe(1)
    expect(logged(server.output.stdout, 60)).toStrictEqual([expect.stringContaining('storage thread died')])
    expect(server.output.stderr).toBe('')

    const next = await startServer({ DATA_DIR: folder })
    expect(await send((await join(next.url)).socket, 'after')).toStrictEqual({ ok: true, seq: 2 })
  },
)

function message(text: string) {
  return { username: 'alice', message: text, createdTime: 1 }
}

/** Starts a server whose storage thread hangs in a system call at the trigger until the test calls `release`. */
async function startHangingServer(folder: string) {
  const fifo = joinPath(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const server = spawnServer({
    env: { DATA_DIR: joinPath(folder, 'data'), NODE_ENV: 'test', FAULT_POINT: 'storage-hangs', FAULT_FIFO: fifo },
  })
  return { server, url: await server.opened(), release: () => writeFile(fifo, 'go on') }
}

test('STORAGE-4 while the disk hangs sends are rejected in time and one error is logged; late stored messages are delivered once, in order', async () => {
  const { server, url, release } = await startHangingServer(temporaryFolder())
  const [sender, observer] = [await join(url), await join(url)]
  expect(await send(sender.socket, 'before')).toStrictEqual({ ok: true, seq: 1 })

  const id = randomUUID()
  expect(await Promise.all([send(sender.socket, trigger, id), send(observer.socket, 'with it')])).toStrictEqual([
    rejected,
    rejected,
  ])
  expect(await status(url + probes.ready)).toBe(503)
  expect(await status(url + probes.live)).toBe(200)
  expect(await send(observer.socket, 'meanwhile')).toStrictEqual(rejected)
  expect(logged(server.output.stdout, 50)).toStrictEqual([expect.stringContaining('storage unavailable')])

  await release()
  expect((await observer.received(2))[1]).toStrictEqual([2, trigger])
  expect(await send(sender.socket, trigger, id)).toStrictEqual({ ok: true, seq: 2 })
  const last = await sendUntilStored(sender.socket, 'after')
  expect(await status(url + probes.ready)).toBe(200)
  const all = await observer.received(last)
  expect(all.map(([seq]) => seq)).toStrictEqual(all.map((_, index) => index + 1))
  expect(all.filter(([, text]) => text === trigger)).toHaveLength(1)
  expect(await sender.received(last)).toStrictEqual(all)
})

test('STORAGE-4 SIGTERM stops a server whose disk hangs, and its data folder is free', async () => {
  const folder = temporaryFolder()
  const { server, url } = await startHangingServer(folder)
  const { socket } = await join(url)
  const ack = send(socket, trigger)
  // The thread has taken the message and no longer responds.
  await expect.poll(() => status(url + probes.ready)).toBe(503)
  server.kill('SIGTERM')
  expect(await ack).toStrictEqual(rejected)
  expect(await server.exited).toBe('SIGKILL')
  expect(logged(server.output.stdout, 60)).toStrictEqual([expect.stringContaining('killing the process')])
  await startServer({ DATA_DIR: joinPath(folder, 'data') })
})

test('STORAGE-4 while the disk of the accounts hangs registrations respond with 503 in time and chat continues', async () => {
  const { url, release } = await startHangingServer(temporaryFolder())
  const { socket } = await join(url)
  const hung = await register(url, trigger)
  expect(hung.status).toBe(503)
  expect(hung.headers.get('retry-after')).toBe('1')
  expect(await status(url + probes.ready)).toBe(503)
  expect(await send(socket, 'goes on')).toStrictEqual({ ok: true, seq: 1 })
  await release()
  await expect.poll(() => status(url + probes.ready)).toBe(200)
  expect((await register(url, 'another')).status).toBe(201)
})
