import { expect, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

const bob = { name: 'bob', email: 'bob@example.org', password: 'correct horse' }

test('SESSIONS-1 a logout closes the connections of that token, which reconnect and are rejected as unauthorized; others stay open', async () => {
  const server = await startServer()
  const { token } = (await (await server.call(routes.register, bob)).json()) as { token: string }
  const other = ((await (await server.call(routes.login, bob)).json()) as { token: string }).token
  const loggedOut = server.client({ auth: { token, channel: 'messages' }, reconnectionDelay: 10 })
  const otherLogin = server.client({ auth: { token: other, channel: 'messages' } })
  const anonymous = server.client({ auth: { channel: 'messages' } })
  await Promise.all([waitForConnect(loggedOut), waitForConnect(otherLogin), waitForConnect(anonymous)])
  const disconnected = new Promise((resolve) => loggedOut.once('disconnect', resolve))
  const rejected = new Promise((resolve) => loggedOut.once('connect_error', resolve))

  const logOut = (bearer: string) =>
    fetch(server.url + routes.login, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } })
  const ended = await logOut(token)
  expect(ended.status).toBe(204)
  expect(await ended.text()).toBe('')
  // After any other disconnect reason the client library does not reconnect.
  expect(await disconnected).toBe('transport close')
  expect(await rejected).toMatchObject({ message: 'unauthorized' })
  expect(otherLogin.connected && anonymous.connected).toBe(true)

  const list = (bearer: string) => fetch(server.url + routes.users, { headers: { authorization: `Bearer ${bearer}` } })
  expect((await list(token)).status).toBe(401)
  expect((await list(other)).status).toBe(200)
  const again = await logOut(token)
  expect(again.status).toBe(401)
  expect(await again.json()).toStrictEqual({ code: 'unauthorized', message: 'Please log in first.' })
  const without = await fetch(server.url + routes.login, { method: 'DELETE' })
  expect(without.status).toBe(401)
})
