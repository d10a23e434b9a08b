import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { accountPath, routes } from '../../contract/routes.ts'
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
  // After `io server disconnect`, Socket.IO's client would not reconnect.
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

test('SESSIONS-1 within an hour after a token has expired, its connections are closed and rejected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await startServer()
  const { token } = (await (await server.call(routes.register, bob)).json()) as { token: string }
  const socket = server.client({ auth: { token, channel: 'messages' }, reconnectionDelay: 10 })
  await waitForConnect(socket)
  const rejected = new Promise((resolve) => socket.once('connect_error', resolve))
  using database = new DatabaseSync(join(server.dataDir, 'accounts.sqlite'))
  database.exec('UPDATE tokens SET expires_at_ms = 0')
  vi.advanceTimersByTime(3_600_000)
  expect(await rejected).toMatchObject({ message: 'unauthorized' })
})

test('MODERATION-21 DELETE /account needs the token and the password, ends every session, and reserves the name', async () => {
  const server = await startServer()
  const { token } = (await (await server.call(routes.register, bob)).json()) as { token: string }
  const other = ((await (await server.call(routes.login, bob)).json()) as { token: string }).token
  const viewer = { ...bob, name: 'eve', email: 'eve@example.org' }
  const { token: viewerToken } = (await (await server.call(routes.register, viewer)).json()) as { token: string }
  const names = async () => {
    const list = await fetch(server.url + routes.users, { headers: { authorization: `Bearer ${viewerToken}` } })
    return ((await list.json()) as { name: string }[]).map(({ name }) => name)
  }
  expect(await names()).toStrictEqual(['bob', 'eve'])
  const socket = server.client({ auth: { token: other, channel: 'messages' }, reconnectionDelay: 10 })
  await waitForConnect(socket)
  const rejected = new Promise((resolve) => socket.once('connect_error', resolve))

  const remove = async (bearer: string, body: unknown) => {
    const response = await fetch(server.url + accountPath, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return [response.status, response.status === 204 ? null : ((await response.json()) as { code: string }).code]
  }
  expect(await remove('wrong', { password: bob.password })).toStrictEqual([401, 'unauthorized'])
  expect(await remove(token, { password: 'wrong' })).toStrictEqual([403, 'forbidden'])
  for (const body of [{}, { password: 5 }, null, { password: 'x'.repeat(1_025) }]) {
    expect(await remove(token, body)).toStrictEqual([400, 'invalid'])
  }
  expect(await names()).toContain('bob')
  expect(await remove(token, { password: bob.password })).toStrictEqual([204, null])
  expect(await rejected).toMatchObject({ message: 'unauthorized' })
  expect(await remove(token, { password: bob.password })).toStrictEqual([401, 'unauthorized'])
  expect(await names()).toStrictEqual(['eve'])
  expect((await server.call(routes.register, { ...bob, email: 'new@example.org' })).status).toBe(409)
  expect(await (await server.call(routes.login, bob)).json()).toStrictEqual({ stat: 'Failed' })
})

test('SECURITY-3 wrong passwords of DELETE /account count as failed logins', async () => {
  const server = await startServer()
  const { token } = (await (await server.call(routes.register, bob)).json()) as { token: string }
  const statuses: number[] = []
  while (statuses.length < 20 && !statuses.includes(429)) {
    const response = await fetch(server.url + accountPath, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'wrong' }),
    })
    statuses.push(response.status)
  }
  expect(statuses.at(-1)).toBe(429)
})
