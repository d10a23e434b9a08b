import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

const hello = { username: 'alice', message: 'hello', createdTime: 1 }
const nobody = { name: 'nobody', password: 'wrong' }

/** Makes every turn of the event loop take this long, from now until it is told to stop. */
function makeLate(turnMs: number): { stop: () => Promise<void> } {
  let stopped = false
  const spinning = (async () => {
    while (!stopped) {
      const until = performance.now() + turnMs
      while (performance.now() < until);
      await nextTurn()
    }
  })()
  return {
    stop: () => {
      stopped = true
      return spinning
    },
  }
}

test('SECURITY-7 when the loop is late, logins are turned away first; visitors still come in and chat', async () => {
  const server = await startServer()
  const chatting = await waitForConnect(server.client())
  const login = () => server.call('/login', { ...nobody, name: `nobody ${Math.random()}` })
  expect((await login()).status).toBe(200)
  const late = makeLate(250)
  await expect.poll(async () => (await login()).status, { timeout: 40_000 }).toBe(503)
  const refused = await login()
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/busy/) })
  expect((await server.call('/register', {})).status).toBe(503)
  await waitForConnect(server.client())
  expect(await chatting.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  await late.stop()
  await expect.poll(async () => (await login()).status, { timeout: 40_000 }).toBe(200)
})

test('SECURITY-7 when it is later still, new connections are turned away; whoever is in goes on chatting', async () => {
  const server = await startServer()
  const chatting = await waitForConnect(server.client())
  const handshake = () => fetch(`${server.url}/socket.io/?EIO=4&transport=polling`)
  const late = makeLate(900)
  await expect.poll(async () => (await handshake()).status, { timeout: 50_000 }).toBe(503)
  const refused = await handshake()
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({ code: 'unavailable' })
  expect(await chatting.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  await late.stop()
  await waitForConnect(server.client())
})
