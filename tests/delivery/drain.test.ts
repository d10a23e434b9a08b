import { DatabaseSync } from 'node:sqlite'
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events, type RestartNotice } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { probes, socketPath } from '../../contract/routes.ts'
import { findFreePort } from '../support/free-port.ts'
import { openRawPolling } from './raw-polling.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'

const drainDeadlineMs = 15_000

/** Starts a server in its own process. */
async function startAt(port: number, folder: string) {
  const server = spawnServer({ env: { PORT: String(port), DATA_DIR: folder, MESSAGES_PER_SECOND: '0' } })
  return { server, url: await server.opened() }
}

/** Starts a server in this process, for tests in which the process does not end. */
const startAlone = () => startServer({ MESSAGES_PER_SECOND: '0' })

/** Returns a client that keeps its cursor and reconnects, as the page does. */
function returningClient(url: string, options: Partial<ManagerOptions & SocketOptions> = {}) {
  let cursor: Cursor | undefined
  const socket = io(url, {
    forceNew: true,
    transports: ['websocket'],
    reconnectionDelay: 20,
    reconnectionDelayMax: 100,
    auth: (callback) => callback({ channel: 'messages', cursor }),
    ...options,
  })
  onTestFinished(() => void socket.close())
  const seqs: number[] = []
  socket.on(events.cursor, (confirmed: Cursor) => (cursor = confirmed))
  socket.on(events.receiveMessage, (_message: ChatMessage, position: Cursor) => {
    cursor = position
    seqs.push(position.seq)
  })
  return { socket, seqs, firstCursor: nextEvent(socket, events.cursor) }
}

async function send(socket: Socket, text: string): Promise<SendAck> {
  const message: ChatMessage = { username: 'alice', message: text, createdTime: 1 }
  return (await socket.timeout(drainDeadlineMs).emitWithAck(events.sendMessage, message)) as SendAck
}

test('DELIVERY-7 on SIGTERM all clients are notified, messages are still stored, and clients reconnect without loss', async () => {
  const [port, folder] = [await findFreePort(), temporaryFolder()]
  const { server, url } = await startAt(port, folder)
  // The drain closes the oldest connections first. The idle connections keep the drain busy while the newest one sends.
  const idle = Array.from({ length: 40 }, () =>
    io(url, { forceNew: true, transports: ['websocket'], reconnection: false }),
  )
  onTestFinished(() => idle.forEach((socket) => socket.close()))
  await Promise.all(idle.map(waitForConnect))
  const poller = returningClient(url, { transports: ['polling'] })
  await poller.firstCursor
  const reader = returningClient(url)
  await reader.firstCursor
  const sender = returningClient(url)
  await sender.firstCursor
  expect(await send(sender.socket, 'before')).toStrictEqual({ ok: true, seq: 1 })

  const notices = [reader, sender].map(({ socket }) => nextEvent<[RestartNotice]>(socket, events.restarting))
  const reasons = [reader, sender].map(({ socket }) => nextEvent<[string]>(socket, 'disconnect'))
  const idleReasons = idle.map((socket) => nextEvent<[string]>(socket, 'disconnect'))
  server.kill('SIGTERM')
  for (const [notice] of await Promise.all(notices)) expect(notice).toStrictEqual({ inMs: expect.any(Number) })
  let lastSeq = 1
  for (let i = 0; i < 5; i++) {
    const ack = await send(sender.socket, `during ${i}`)
    expect(ack).toStrictEqual({ ok: true, seq: lastSeq + 1 })
    lastSeq++
  }
  for (const [reason] of await Promise.all([...reasons, ...idleReasons])) expect(reason).toBe('transport close')
  expect(await server.exited).toBe(0)
  expect(sender.seqs).toHaveLength(lastSeq)

  await startServer({ PORT: String(port), DATA_DIR: folder, MESSAGES_PER_SECOND: '0' })
  const returned = [poller, reader, sender]
  await Promise.all(returned.map(({ socket }) => waitForConnect(socket)))
  expect(await send(sender.socket, 'after')).toStrictEqual({ ok: true, seq: lastSeq + 1 })
  const all = Array.from({ length: lastSeq + 1 }, (_, index) => index + 1)
  for (const { seqs } of returned) await expect.poll(() => seqs).toStrictEqual(all)
})

test('DELIVERY-7 a connection is closed only after its messages are acknowledged', async () => {
  const server = await startAlone()
  const { url, dataDir: folder } = server
  const sender = returningClient(url, { reconnection: false })
  const [position] = await sender.firstCursor
  const later = returningClient(url, { reconnection: false })
  await later.firstCursor
  const other = new DatabaseSync(dataFiles(folder).messages)
  onTestFinished(() => other.close())
  other.exec('BEGIN EXCLUSIVE')
  const disconnects = collectSocketEvents<[string]>(sender.socket, 'disconnect')
  const ack = send(sender.socket, 'on its way')
  const laterDisconnected = nextEvent(later.socket, 'disconnect')
  // The cursor confirms that the server has received the message, because the server handles packets of one connection in order.
  sender.socket.emit(events.resume, position)
  await nextEvent(sender.socket, events.cursor)
  const drained = server.drain()
  await laterDisconnected
  expect(disconnects.seen).toStrictEqual([])
  other.exec('ROLLBACK')
  expect(await ack).toHaveProperty('ok')
  expect(await disconnects.atLeast(1)).toStrictEqual([['transport close', expect.anything()]])
  await drained
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'DELIVERY-7 on %s the server exits in time although a peer no longer responds',
  async (signal) => {
    const { server, url } = await startAt(await findFreePort(), temporaryFolder())
    const dead = await openRawConnection(url)
    onTestFinished(dead.close)
    await dead.connect()
    dead.pause()
    server.kill(signal)
    expect(await server.exited).toBe(0)
  },
)

test('DRAIN-1 a polling client is served until the end: messages sent during a drain are acknowledged', async () => {
  const server = await startAlone()
  const { url } = server
  // The drain closes the oldest connections first. The idle connections keep the drain busy while the newest one sends.
  const idle = Array.from({ length: 20 }, () =>
    io(url, { forceNew: true, transports: ['websocket'], reconnection: false }),
  )
  onTestFinished(() => idle.forEach((socket) => socket.close()))
  await Promise.all(idle.map(waitForConnect))
  const poller = returningClient(url, { transports: ['polling'], reconnection: false })
  await poller.firstCursor
  const notices = nextEvent(poller.socket, events.restarting)
  const disconnected = nextEvent<[string]>(poller.socket, 'disconnect', drainDeadlineMs)
  const drained = server.drain()
  const early = send(poller.socket, 'at once')
  await notices
  expect(
    await Promise.all([early, send(poller.socket, 'notices'), send(poller.socket, 'notices again')]),
  ).toStrictEqual([
    { ok: true, seq: 1 },
    { ok: true, seq: 2 },
    { ok: true, seq: 3 },
  ])
  expect((await disconnected)[0]).toBe('transport close')
  expect(poller.seqs).toStrictEqual([1, 2, 3])
  await drained
})

test('DRAIN-2 during a drain new connections are rejected with a retryable reason, and HTTP requests still get a response', async () => {
  const server = await startAlone()
  const { url } = server
  const idle = Array.from({ length: 20 }, () =>
    io(url, { forceNew: true, transports: ['websocket'], reconnection: false }),
  )
  onTestFinished(() => idle.forEach((socket) => socket.close()))
  await Promise.all(idle.map(waitForConnect))
  const client = returningClient(url, { reconnection: false })
  await client.firstCursor
  // A client that keeps sending gets the longest drain, which leaves time for the requests below.
  const sending = setInterval(() => void send(client.socket, 'on and on').catch(() => undefined), 50)
  onTestFinished(() => clearInterval(sending))
  const notices = nextEvent(client.socket, events.restarting)
  const drained = server.drain()
  await notices
  const handshake = await fetch(`${url}${socketPath}?EIO=4&transport=polling`)
  expect(handshake.status).toBe(503)
  expect(handshake.headers.get('retry-after')).toBe('1')
  expect(await handshake.json()).toStrictEqual({ code: 'unavailable', message: 'The server is restarting.' })
  expect((await fetch(`${url}${probes.live}`)).status).toBe(200)
  expect((await fetch(`${url}${probes.ready}`)).status).toBe(503)
  await drained
})

test('DELIVERY-7 a polling client that is being closed and no longer polls does not delay the stop', async () => {
  const server = await startAlone()
  const { url } = server
  const poller = await openRawPolling(url, { positions: true })
  const drained = server.drain()
  for (let packet = ''; !packet.includes(events.restarting);) packet = await poller.next()
  // An invalid packet closes the connection. Without a pending poll, Engine.IO waits for the next poll.
  await poller.post('3\x1e4{')
  await drained
})

test('DRAIN-3 a drain ends when all connections are closed and does not wait for a client that never stops sending', async () => {
  const server = await startAlone()
  const { url } = server
  const sender = returningClient(url, { reconnection: false })
  await sender.firstCursor
  const acks: SendAck[] = []
  const sendNext = () => {
    if (sender.socket.connected)
      void send(sender.socket, 'on and on').then(
        (ack) => acks.push(ack),
        () => undefined,
      )
  }
  const sending = setInterval(sendNext, 2)
  onTestFinished(() => clearInterval(sending))
  await expect.poll(() => acks.length).toBeGreaterThan(10)
  const drained = server.drain()
  await drained
  for (const ack of acks) if (!ack.ok) expect(ack.code).toBe('unavailable')
})

test('DRAIN-4 clients are notified to reconnect in groups, after the expected end of the drain and restart', async () => {
  const server = await startAlone()
  const { url } = server
  const join = () =>
    io(url, { forceNew: true, transports: ['websocket'], auth: { positions: true }, reconnection: false })
  const idle = Array.from({ length: 60 }, join)
  onTestFinished(() => idle.forEach((socket) => socket.close()))
  await Promise.all(idle.map(waitForConnect))
  const notices = idle.map((socket) => nextEvent<[RestartNotice]>(socket, events.restarting))
  const disconnected = idle.map((socket) => nextEvent(socket, 'disconnect'))
  const drained = server.drain()
  const waitsMs = (await Promise.all(notices)).map(([{ inMs }]) => inMs)
  expect(Math.min(...waitsMs)).toBeGreaterThan(500)
  // Each group of 50 clients gets its own time to reconnect.
  expect(new Set(waitsMs).size).toBe(2)
  expect(Math.max(...waitsMs) - Math.min(...waitsMs)).toBe(50)
  await Promise.all(disconnected)
  await drained
})
