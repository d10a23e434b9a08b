import { describe, expect, test } from 'vitest'
import { RegistrationRequest } from '../../contract/accounts.ts'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'

/** Server for the tests that do not need an empty list of accounts. */
const sharedServer = shareServer()

const bob = { name: 'bob', email: 'bob@example.org', password: 'correct horse' }

test('API-1 POST /register responds with 201, the account and a token', async () => {
  const server = sharedServer()
  const response = await server.call('/register', bob)
  expect(response.status).toBe(201)
  expect(await response.json()).toStrictEqual({
    _id: expect.any(String),
    name: 'bob',
    email: 'bob@example.org',
    token: expect.any(String),
  })
})

test('API-1 POST /register responds with 409 for a taken name or email address, also in another case or width', async () => {
  const server = await startServer()
  await server.call('/register', bob)
  for (const [change, code] of [
    [{ name: 'bob', email: 'other@example.org' }, 'name_taken'],
    [{ name: 'BOB', email: 'other@example.org' }, 'name_taken'],
    [{ name: 'ｂｏｂ', email: 'other@example.org' }, 'name_taken'],
    [{ name: 'rob', email: 'BOB@example.org' }, 'email_taken'],
  ] as const) {
    const response = await server.call('/register', { ...bob, ...change })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code, message: expect.stringMatching(/already/) })
  }
})

describe('a rejected registration', () => {
  test.each([
    ['no name', { email: 'a@b.c', password: 'x' }],
    ['empty name', { ...bob, name: '' }],
    ['white-space name', { ...bob, name: '   ' }],
    ['a list for a name', { ...bob, name: ['bob'] }],
    ['the anonymous suffix', { ...bob, name: 'bob (not loggedin)' }],
    ['the default identity', { ...bob, name: 'anonymous-not-loggedin' }],
    ['a hidden character', { ...bob, name: 'b\u200bob' }],
    ['65 characters', { ...bob, name: 'b'.repeat(65) }],
    ['an address without @', { ...bob, email: 'bob' }],
    ['a long address', { ...bob, email: `${'b'.repeat(250)}@example.org` }],
    ['no password', { name: 'bob', email: 'a@b.c' }],
    ['a long password', { ...bob, password: 'p'.repeat(1_025) }],
    ['null', null],
    ['an array', []],
    ['a number', 5],
    ['broken JSON', '{"name": '],
  ])('API-1 POST /register with %s responds with 400 and { code, message }', async (_name, body) => {
    const response = await sharedServer().call('/register', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toStrictEqual({ code: 'invalid', message: expect.any(String) })
  })

  // PostgreSQL rejects U+0000 in text. The test excludes the password, because the server stores only its hash.
  test.each(Object.keys(RegistrationRequest.properties).filter((field) => field !== 'password'))(
    'API-1 POST /register responds with 400 when %s contains U+0000 or is too long',
    async (field) => {
      for (const text of ['b\0b', 'b'.repeat(4_000)]) {
        const response = await sharedServer().call('/register', { ...bob, [field]: text })
        expect(response.status).toBe(400)
      }
    },
  )

  test('API-1 POST /register responds with 413 for a body over 16 KiB and 400 for another content type', async () => {
    const large = await sharedServer().call('/register', { ...bob, name: 'b'.repeat(17_000) })
    expect(large.status).toBe(413)
    expect(await large.json()).toMatchObject({ code: 'too_large' })
    const text = await sharedServer().call('/register', 'hello', { 'content-type': 'text/plain' })
    expect(text.status).toBe(400)
  })
})

test('LIMITS-6 a body that is nested too deeply is rejected before it is parsed', async () => {
  const server = sharedServer()
  const nested = `{"name":${'['.repeat(1_000)}${']'.repeat(1_000)}}`
  for (const path of ['/register', '/login']) {
    // A server that has just started on a busy machine can reject logins at first.
    const response = async () => (await server.call(path, nested)).json()
    await expect
      .poll(response)
      .toStrictEqual({ code: 'invalid', message: 'The JSON is nested too deeply or has too many values.' })
  }
})

test('API-2 POST /login responds with Success, name and token, or with the same Failed for a wrong password and an unknown name', async () => {
  const server = sharedServer()
  await server.call('/register', bob)
  const right = await server.call('/login', { name: 'bob', password: bob.password })
  expect(right.status).toBe(200)
  expect(await right.json()).toStrictEqual({ stat: 'Success', name: 'bob', token: expect.any(String) })
  for (const wrong of [
    { name: 'bob', password: 'wrong' },
    { name: 'unknown', password: 'wrong' },
  ]) {
    const response = await server.call('/login', wrong)
    expect([response.status, await response.json()]).toStrictEqual([200, { stat: 'Failed' }])
  }
  expect((await server.call('/login', { name: 'bob' })).status).toBe(400)
})

test('API-3 GET /fetchusers requires a valid token from registration or login', async () => {
  const server = await startServer()
  const { token: fromRegister, _id } = (await (await server.call('/register', bob)).json()) as {
    token: string
    _id: string
  }
  const { token: fromLogin } = (await (await server.call('/login', bob)).json()) as { token: string }
  for (const token of [fromRegister, fromLogin]) {
    const response = await fetch(`${server.url}/fetchusers`, { headers: { authorization: `Bearer ${token}` } })
    expect([response.status, await response.json()]).toStrictEqual([200, [{ _id, name: 'bob', email: bob.email }]])
  }
  for (const headers of [
    {},
    { authorization: 'Bearer nonsense' },
    { authorization: 'Basic x' },
    { authorization: '' },
  ]) {
    const response = await fetch(`${server.url}/fetchusers`, { headers })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'unauthorized' })
  }
})

test('API-4 GET /fetchusers responds with a page to a navigation and with JSON otherwise, with a matching Vary', async () => {
  const server = sharedServer()
  const page = await fetch(`${server.url}/fetchusers`, { headers: { accept: 'text/html,*/*' } })
  expect([page.status, page.headers.get('content-type')]).toStrictEqual([200, expect.stringContaining('text/html')])
  for (const response of [page, await fetch(`${server.url}/fetchusers`)]) {
    expect(response.headers.get('vary')).toMatch(/accept/i)
    expect(response.headers.get('vary')).toMatch(/authorization/i)
  }
  const withToken = { accept: 'text/html', authorization: 'Bearer nonsense' }
  expect((await fetch(`${server.url}/fetchusers`, { headers: withToken })).status).toBe(401)
})

test('API-4 one port serves all pages and any other path responds with 404', async () => {
  const server = sharedServer()
  for (const path of ['/', '/register', '/login']) expect((await fetch(server.url + path)).status).toBe(200)
  for (const path of [
    '/nowhere',
    '/index.html',
    '/assets/none.js',
    '/assets/../../package.json',
    '/%2e%2e/package.json',
  ]) {
    const response = await fetch(server.url + path)
    expect([path, response.status]).toStrictEqual([path, 404])
  }
})

test('SEND-2 a client that connects with a token sends as its account, whatever name it claims', async () => {
  const server = sharedServer()
  const { token } = (await (
    await server.call('/register', { ...bob, name: 'carol', email: 'carol@example.org' })
  ).json()) as { token: string }
  const [real, fake] = [server.client({ auth: { token } }), server.client()]
  await Promise.all([waitForConnect(real), waitForConnect(fake)])
  const broadcastName = async (send: typeof real) => {
    const received = nextEvent<[ChatMessage]>(fake, events.receiveMessage)
    send.emit(events.sendMessage, { username: 'carol', message: 'it is me', createdTime: 1 })
    return (await received)[0].username
  }
  expect(await broadcastName(real)).toBe('carol')
  expect(await broadcastName(fake)).toBe('carol (not loggedin)')
})

test.each([
  [{ token: 'nonsense' }, 'unauthorized'],
  [{ token: 5 }, 'invalid'],
  [{ channel: 'other' }, 'invalid'],
])('DELIVERY-6 the handshake %j is rejected with %s and never connects as anonymous', async (auth, code) => {
  const server = sharedServer()
  const [error] = await nextEvent<[Error & { data: unknown }]>(server.client({ auth }), 'connect_error')
  expect(error.message).toBe(code)
  expect(error.data).toMatchObject({ code, message: expect.any(String) })
})
