import { expect, test } from 'vitest'
import { probes, routes } from '../../contract/routes.ts'
import { mountSmallDisk } from './small-disk.ts'
import { spawnServer } from '../support/spawn-server.ts'
import { join, send, status } from './storage-client.ts'

/** Whether this process is root, which a mount requires. */
const isRoot = process.getuid?.() === 0
const mebibyte = 1_024 * 1_024
const text = 'x'.repeat(4_000)

async function startOnSmallDisk() {
  const disk = mountSmallDisk(8 * mebibyte)
  const server = spawnServer({ env: { DATA_DIR: `${disk.folder}/data`, MESSAGES_PER_SECOND: '0' } })
  const url = await server.opened()
  return { disk, server, url, client: await join(url) }
}

test.skipIf(!isRoot)(
  'STORAGE-11 on a full disk no acknowledged message is lost, health checks respond, and the server recovers when space is free',
  async () => {
    const { disk, server, url, client } = await startOnSmallDisk()
    const acked: number[] = []
    const recordAck = (ack: Awaited<ReturnType<typeof send>>) => {
      if (ack.ok) acked.push(ack.seq)
      return ack.ok
    }
    for (let index = 0; index < 5; index++) expect(recordAck(await send(client.socket, text))).toBe(true)
    disk.fill()
    await expect.poll(async () => recordAck(await send(client.socket, text))).toBe(false)
    await expect.poll(() => status(url + probes.ready)).toBe(503)
    for (let index = 0; index < 10; index++) {
      expect(await status(url + probes.live)).toBe(200)
      recordAck(await send(client.socket, text))
      const body = JSON.stringify({ name: `user ${index}`, email: `${index}@example.org`, password: 'a password' })
      const headers = { 'content-type': 'application/json' }
      const { status: code } = await fetch(url + routes.register, { method: 'POST', headers, body })
      expect([201, 503]).toContain(code)
    }

    disk.free()
    // The server recovers without a send.
    await expect.poll(() => server.output.stdout.includes('storage available')).toBe(true)
    await expect.poll(() => status(url + probes.ready)).toBe(200)
    const last = await send(client.socket, 'room again')
    expect(recordAck(last)).toBe(true)
    expect(acked).toStrictEqual(acked.map((_, index) => index + 1))
    expect((await client.received(acked.length)).map(([seq]) => seq)).toStrictEqual(acked)

    server.kill('SIGKILL')
    await server.exited
    const next = spawnServer({ env: { DATA_DIR: `${disk.folder}/data` } })
    const reader = await join(await next.opened(), { epoch: client.placed.epoch, seq: 0 })
    expect((await reader.received(acked.length)).map(([seq]) => seq)).toStrictEqual(acked)
  },
)

test.skipIf(!isRoot)('STORAGE-11 SIGTERM stops a server whose disk is full', async () => {
  const { disk, server, client } = await startOnSmallDisk()
  disk.fill()
  await expect.poll(async () => (await send(client.socket, text)).ok).toBe(false)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})
