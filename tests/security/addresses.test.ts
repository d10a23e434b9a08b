import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import type { Rejection } from '../../contract/rejections.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { startBehindProxy } from './from-address.ts'

const abuser = '203.0.113.7'
const visitor = '198.51.100.1'
const hello = { username: 'alice', message: 'hello', createdTime: 1 }
type ConnectError = Error & { data?: Rejection }

test.each(['websocket', 'polling'])(
  'SECURITY-3 over %s a connection above the limit of its address is rejected with a reason and a retry time',
  async (transport) => {
    const server = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '3' })
    const transports = [transport]
    const held = [1, 2, 3].map(() => server.clientFrom(abuser, { transports }))
    await Promise.all(held.map(waitForConnect))
    const [error] = await nextEvent<[ConnectError]>(server.clientFrom(abuser, { transports }), 'connect_error')
    expect(error.message).toBe('rate_limited')
    expect(error.data).toStrictEqual({
      code: 'rate_limited',
      message: 'There are too many connections from this address.',
      retryAfterMs: 10_000,
    })
    await waitForConnect(server.clientFrom(visitor, { transports }))
    held[0]?.close()
    await expect
      .poll(async () => {
        const again = server.clientFrom(abuser, { transports })
        return Promise.race([
          nextEvent(again, 'connect').then(() => 'in'),
          nextEvent(again, 'connect_error').then(() => 'out'),
        ])
      })
      .toBe('in')
  },
)

test('SECURITY-3 an address that keeps connecting above its limit gets 429 with Retry-After', async () => {
  const server = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '1' })
  await waitForConnect(server.clientFrom(abuser))
  const connectAgain = () =>
    fetch(`${server.url}/socket.io/?EIO=4&transport=polling`, { headers: { 'x-forwarded-for': abuser } })
  // Check the response with status 429: the server may admit a later request.
  let response = await connectAgain()
  await expect
    .poll(
      async () => {
        response = await connectAgain()
        return response.status
      },
      { interval: 0, timeout: 20_000 },
    )
    .toBe(429)
  expect(response.headers.get('retry-after')).toBe('10')
  expect(await response.json()).toMatchObject({ code: 'rate_limited' })
})

test('SECURITY-3 loopback and MAX_CONNECTIONS_PER_IP=0 have no connection limit', async () => {
  const plain = await startServer({ MAX_CONNECTIONS_PER_IP: '1' })
  await Promise.all([1, 2, 3, 4].map(() => waitForConnect(plain.client())))
  const open = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '0' })
  await Promise.all([1, 2, 3, 4].map(() => waitForConnect(open.clientFrom(abuser))))
})

test('SECURITY-3 messages are rate limited per address over all its connections, except on loopback', async () => {
  const server = await startBehindProxy({ MESSAGES_PER_SECOND: '50', MESSAGES_PER_SECOND_PER_IP: '2' })
  const [one, two, other, local] = [
    server.clientFrom(abuser),
    server.clientFrom(abuser),
    server.clientFrom(visitor),
    server.client(),
  ]
  await Promise.all([one, two, other, local].map(waitForConnect))
  const send = (client: typeof one) => client.emitWithAck(events.sendMessage, hello) as Promise<SendAck>
  const acks = await Promise.all(Array.from({ length: 40 }, (_, i) => send(i % 2 === 0 ? one : two)))
  const rejected = acks.filter(({ ok }) => !ok)
  expect(rejected.length).toBeGreaterThanOrEqual(15)
  expect(rejected[0]).toMatchObject({
    code: 'rate_limited',
    message: expect.any(String),
    retryAfterMs: expect.any(Number),
  })
  expect(await send(other)).toMatchObject({ ok: true })
  const localAcks = await Promise.all(Array.from({ length: 40 }, () => send(local)))
  expect(localAcks.every(({ ok }) => ok)).toBe(true)
})

test('SECURITY-3 X-Forwarded-For of an untrusted proxy has no effect, and the log names the setting to change', async () => {
  const server = spawnServer({ env: { DATA_DIR: temporaryFolder(), MAX_CONNECTIONS_PER_IP: '1' } })
  const url = await server.opened()
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`${url}/socket.io/?EIO=4&transport=polling`, {
      headers: { 'x-forwarded-for': abuser },
    })
    expect(response.status).toBe(200)
  }
  await expect.poll(() => server.output.stdout).toContain('TRUST_PROXY')
  expect(server.output.stdout.match(/TRUST_PROXY/g)).toHaveLength(1)
})

test('SECURITY-3 a flooding client is rejected with a reason, then closed and cannot reconnect at once; others continue', async () => {
  const server = await startBehindProxy({ MESSAGES_PER_SECOND: '1' })
  const [flooder, other] = [server.clientFrom(abuser), server.clientFrom(visitor)]
  await Promise.all([waitForConnect(flooder), waitForConnect(other)])
  const received = collectSocketEvents(other, events.receiveMessage)
  const acks: SendAck[] = []
  const disconnected = nextEvent(flooder, 'disconnect')
  // Send in bursts, so that a busy client soon detects the close of its connection. The penalty runs from the close.
  while (flooder.connected) {
    for (let i = 0; i < 200; i++) flooder.emit(events.sendMessage, hello, (ack: SendAck) => acks.push(ack))
    await Promise.race([disconnected, flooder.emitWithAck(events.sendMessage, hello)])
  }
  expect(acks.filter(({ ok }) => !ok).at(-1)).toMatchObject({
    code: 'rate_limited',
    retryAfterMs: expect.any(Number),
  })
  expect(received.seen.length).toBeLessThan(400)
  const [error] = await nextEvent<[ConnectError]>(server.clientFrom(abuser), 'connect_error')
  expect(error.data).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/far too much/) })
  expect(error.data?.retryAfterMs).toBeGreaterThan(0)
  expect(await other.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
})

test('SECURITY-3 a thousand requests for the online list cause only a few responses', async () => {
  const server = await startServer()
  const watcher = await waitForConnect(server.client({ auth: { channel: 'presence' } }))
  const lists = collectSocketEvents(watcher, events.onlineUsers)
  for (let i = 0; i < 1_000; i++) watcher.emit(events.onlineUsersResync)
  await watcher.emitWithAck(events.sendMessage, hello)
  const atOnce = lists.seen.length
  expect(atOnce).toBeLessThan(5)
  await lists.atLeast(atOnce + 1)
})
