import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

const hello = { username: 'alice', message: 'hello', createdTime: 1 }
const unknownLogin = { name: 'unknownLogin', password: 'wrong' }

const blocked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/**
 * Makes every turn of the event loop take at least this long until the test calls `stop`. The thread sleeps, so that it
 * uses no CPU time. The event loop is as late as in a busy-wait, and counts the time as utilized.
 */
function delayEventLoop(turnMs: number): { stop: () => Promise<void> } {
  let isStopped = false
  const blocking = (async () => {
    while (!isStopped) {
      Atomics.wait(blocked, 0, 0, turnMs)
      await nextTurn()
    }
  })()
  return {
    stop: () => {
      isStopped = true
      return blocking
    },
  }
}

test('SECURITY-7 when the event loop is late, logins are rejected first; clients can still connect and chat', async () => {
  const server = await startServer()
  const chatting = await waitForConnect(server.client())
  const login = () => server.call('/login', { ...unknownLogin, name: `unknownLogin ${Math.random()}` })
  expect((await login()).status).toBe(200)
  const late = delayEventLoop(250)
  await expect.poll(async () => (await login()).status, { timeout: 40_000 }).toBe(503)
  const rejected = await login()
  expect(rejected.headers.get('retry-after')).toBe('5')
  expect(await rejected.json()).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/busy/) })
  expect((await server.call('/register', {})).status).toBe(503)
  await waitForConnect(server.client())
  expect(await chatting.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  await late.stop()
  await expect.poll(async () => (await login()).status, { timeout: 40_000 }).toBe(200)
})

test('SECURITY-7 when the event loop is later, new connections are rejected; connected clients continue to chat', async () => {
  const server = await startServer()
  const chatting = await waitForConnect(server.client())
  const handshake = () => fetch(`${server.url}/socket.io/?EIO=4&transport=polling`)
  const late = delayEventLoop(900)
  await expect.poll(async () => (await handshake()).status, { timeout: 50_000 }).toBe(503)
  const rejected = await handshake()
  expect(rejected.headers.get('retry-after')).toBe('5')
  expect(await rejected.json()).toMatchObject({ code: 'unavailable' })
  expect(await chatting.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  await late.stop()
  await waitForConnect(server.client())
})
