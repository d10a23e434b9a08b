import { expect, test } from 'vitest'
import { apiDescriptionPath, callPaths } from '../../contract/routes.ts'
import { nextEvent } from '../support/socket-events.ts'
import { shareServer } from '../support/shared-server.ts'
import type { TestServer } from '../support/start-server.ts'
import { startBehindProxy } from './from-address.ts'
import { bodyOf, headersOf, openTcp, sendRaw, statusOf } from './raw-http.ts'

const foreignOrigin = 'https://foreign.example'
const allowedOrigin = 'https://allowed.example'
const handshake = '/socket.io/?EIO=4&transport=polling'
const bob = { name: 'bob', email: 'bob@example.org', password: 'correct horse' }

function polling(server: TestServer, sid: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}${handshake}&sid=${sid}`, init)
}

async function pollingSession(server: TestServer): Promise<string> {
  const opened = await (await fetch(server.url + handshake)).text()
  return (JSON.parse(opened.slice(1)) as { sid: string }).sid
}

const sharedServer = shareServer()
const serverWithOrigins = shareServer({ ALLOWED_ORIGINS: allowedOrigin })

const upgradeTo = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`

test('SECURITY-5 a page of another origin is rejected on both transports, with a reason', async () => {
  const server = sharedServer()
  const byPolling = await fetch(server.url + handshake, { headers: { origin: foreignOrigin } })
  expect(byPolling.status).toBe(403)
  expect(byPolling.headers.get('access-control-allow-origin')).toBeNull()
  expect(await byPolling.json()).toMatchObject({ code: 'forbidden', message: expect.stringMatching(/origin/i) })
  const byWebSocket = await sendRaw(
    server.url,
    upgradeTo('/socket.io/?EIO=4&transport=websocket', `Origin: ${foreignOrigin}\r\n`),
  )
  expect(statusOf(byWebSocket)).toBe(403)
  expect(JSON.parse(bodyOf(byWebSocket))).toMatchObject({ code: 'forbidden' })
})

test('SECURITY-5 a page of another origin cannot use an existing session id', async () => {
  const server = sharedServer()
  const sid = await pollingSession(server)
  const post = await polling(server, sid, { method: 'POST', body: '40', headers: { origin: foreignOrigin } })
  const get = await polling(server, sid, { headers: { origin: foreignOrigin } })
  const upgrade = await sendRaw(
    server.url,
    upgradeTo(`/socket.io/?EIO=4&transport=websocket&sid=${sid}`, `Origin: ${foreignOrigin}\r\n`),
  )
  expect([post.status, get.status, statusOf(upgrade)]).toStrictEqual([403, 403, 403])
  expect((await polling(server, sid, { method: 'POST', body: '40' })).status).toBe(200)
})

test.each([
  ['no Origin', ''],
  ['the own origin', 'Origin: http://chat.example:3001\r\n'],
  ['a loopback origin', 'Origin: http://localhost:5173\r\n'],
  ['an IPv6 loopback origin', 'Origin: http://[::1]:5173\r\n'],
  ['an allowed origin', `Origin: ${allowedOrigin}\r\n`],
])('SECURITY-5 a request with %s is accepted', async (_name, origin) => {
  const server = serverWithOrigins()
  const response = await sendRaw(
    server.url,
    `GET ${handshake} HTTP/1.1\r\nHost: CHAT.example:3001\r\n${origin}Connection: close\r\n\r\n`,
  )
  expect(statusOf(response)).toBe(200)
})

test.each(['null', 'file://', 'https://allowed.example.evil.example', 'http://127.0.0.1.evil.example', 'garbage', ''])(
  'SECURITY-5 a request with the origin %j is rejected',
  async (origin) => {
    const server = serverWithOrigins()
    const response = await sendRaw(
      server.url,
      `GET ${handshake} HTTP/1.1\r\nHost: chat.example\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`,
    )
    expect(statusOf(response)).toBe(403)
  },
)

test('SECURITY-5 allowed origins can make cross-origin requests with a preflight, and others cannot', async () => {
  const server = serverWithOrigins()
  for (const path of callPaths) {
    const preflight = (origin: string) =>
      fetch(server.url + path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      })
    const allowed = await preflight(allowedOrigin)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(allowedOrigin)
    expect(allowed.headers.get('access-control-allow-headers')).toMatch(/content-type/i)
    expect(allowed.headers.get('access-control-allow-headers')).toMatch(/authorization/i)
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull()
    expect(allowed.headers.get('vary')).toMatch(/origin/i)
    const rejected = await preflight(foreignOrigin)
    expect([rejected.status, rejected.headers.get('access-control-allow-origin')]).toStrictEqual([403, null])
  }
  const registered = await server.call('/register', bob, { origin: allowedOrigin })
  expect([registered.status, registered.headers.get('access-control-allow-origin')]).toStrictEqual([201, allowedOrigin])
  const { token } = (await registered.json()) as { token: string }
  const users = (origin: string) =>
    fetch(`${server.url}/fetchusers`, { headers: { origin, authorization: `Bearer ${token}` } })
  expect((await users(allowedOrigin)).headers.get('access-control-allow-origin')).toBe(allowedOrigin)
  const list = await users(foreignOrigin)
  expect([list.status, list.headers.get('access-control-allow-origin')]).toStrictEqual([403, null])
  const foreignLogin = await server.call('/login', bob, { origin: foreignOrigin })
  expect([foreignLogin.status, foreignLogin.headers.get('access-control-allow-origin')]).toStrictEqual([403, null])
})

test('SECURITY-5 every call rejects a request of another origin, and its method is in the preflight', async () => {
  const server = serverWithOrigins()
  const { paths } = (await (await fetch(server.url + apiDescriptionPath)).json()) as { paths: Record<string, object> }
  const calls = callPaths.flatMap((path) => Object.keys(paths[path] ?? {}).map((method) => [method, path] as const))
  expect(calls.length).toBeGreaterThanOrEqual(callPaths.length)
  for (const [method, path] of calls) {
    const call = async (origin: string) => {
      const { headers, status } = await fetch(server.url + path, { method: method.toUpperCase(), headers: { origin } })
      return { isForbidden: status === 403, allowed: headers.get('access-control-allow-origin') }
    }
    expect(await call(foreignOrigin), `${method} ${path}`).toStrictEqual({ isForbidden: true, allowed: null })
    expect(await call(allowedOrigin), `${method} ${path}`).toStrictEqual({ isForbidden: false, allowed: allowedOrigin })
    const preflight = await fetch(server.url + path, { method: 'OPTIONS', headers: { origin: allowedOrigin } })
    expect(preflight.headers.get('access-control-allow-methods')?.split(', '), path).toContain(method.toUpperCase())
  }
})

test('SECURITY-5 pages and responses have the security headers and no server banner', async () => {
  const server = sharedServer()
  for (const path of ['/', '/register', '/login', '/fetchusers', '/nowhere', '/healthz', handshake]) {
    const { headers } = await fetch(server.url + path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy, path).toContain('default-src')
    expect(policy, path).not.toMatch(/unsafe|upgrade-insecure-requests|\*/)
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('x-frame-options'), path).toMatch(/deny/i)
    expect(headers.get('strict-transport-security'), path).toBeNull()
    for (const banner of ['server', 'x-powered-by']) expect(headers.get(banner), path).toBeNull()
  }
})

test('SECURITY-5 HSTS is sent only when a trusted proxy reports https', async () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
  const hsts = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { headers })).headers.get('strict-transport-security')
  const behindProxy = await startBehindProxy()
  expect(await hsts(behindProxy.url, https)).toMatch(/^max-age=\d+$/)
  expect(await hsts(behindProxy.url, {})).toBeNull()
  expect(await hsts(sharedServer().url, https)).toBeNull()
})

const smuggled = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
test.each([
  [
    'Content-Length and Transfer-Encoding',
    `Content-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
  ['a length with a sign', 'Content-Length: +5\r\n\r\nhello'],
  ['a misspelt chunked', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['chunked not last', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
  ['a folded header', 'Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n'],
  ['a bare line feed', 'X: y\nContent-Length: 5\r\n\r\nhello'],
  ['a broken chunk size', 'Transfer-Encoding: chunked\r\n\r\n5;\nhello\r\n0\r\n\r\n'],
  ['a NUL in a header', 'X: a\0b\r\n\r\n'],
])('SECURITY-5 request smuggling with %s is rejected and the connection closed', async (_name, rest) => {
  const server = sharedServer()
  const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const response = await sendRaw(server.url, head + rest + smuggled)
  expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(statusOf(response)).toBe(400)
  expect(JSON.parse(bodyOf(response))).toStrictEqual({ code: 'invalid', message: expect.any(String) })
  expect(headersOf(response)['connection']).toBe('close')
})

test.each([
  ['garbage', '\x16\x03\x01\x02\x00\x01\x00', 400],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['too many headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
  ['a bad path', 'GET /%c0%ae%c0%ae/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n', Number.NaN],
  ['an upgrade on another path', upgradeTo('/'), 404],
  ['an upgrade that is no WebSocket', upgradeTo('/socket.io/?EIO=4&transport=websocket').replace('13', '99'), 400],
  [
    'an unknown transport',
    `GET /socket.io/?EIO=4&transport=__proto__ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    400,
  ],
  ['an old protocol', `GET /socket.io/?EIO=3&transport=polling HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 400],
  ['an unknown session', `GET ${handshake}&sid=__proto__ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 400],
])('SECURITY-5 %s gets a well-formed response', async (_name, bytes, status) => {
  const server = sharedServer()
  const response = await sendRaw(server.url, bytes)
  expect(statusOf(response)).toBe(status)
  expect(response).not.toMatch(/fastify|FST_|HPE_|node_modules|at .*\.js|stack/i)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

test('SECURITY-5 an upgrade on another path whose client disconnects at once has no effect', async () => {
  const server = sharedServer()
  for (let i = 0; i < 20; i++) {
    const socket = await openTcp(server.url)
    socket.write(upgradeTo(i % 2 === 0 ? '/' : '/socket.io/?EIO=4&transport=websocket'))
    socket.resetAndDestroy()
  }
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

test.each([
  ['websocket', (server: TestServer) => sendHugeFrame(server)],
  ['polling', (server: TestServer) => postHugePayload(server)],
])('SECURITY-5 more than 64 KiB at once over %s is rejected or closes the connection', async (_transport, send) => {
  const server = sharedServer()
  const observer = server.client()
  await nextEvent(observer, 'connect')
  await send(server)
  expect(observer.connected).toBe(true)
})

async function sendHugeFrame(server: TestServer): Promise<void> {
  const client = server.client({ reconnection: false })
  await nextEvent(client, 'connect')
  const gone = nextEvent(client, 'disconnect')
  client.emit('send_message', { username: 'a', message: 'x'.repeat(70_000), createdTime: 1 })
  await gone
}

async function postHugePayload(server: TestServer): Promise<void> {
  const sid = await pollingSession(server)
  const response = await polling(server, sid, { method: 'POST', body: `4${'x'.repeat(70_000)}` }).catch(() => null)
  expect([413, undefined]).toContain(response?.status)
}

test('SECURITY-5 messages are never compressed, whatever the client offers', async () => {
  const server = sharedServer()
  const socket = await openTcp(server.url)
  socket.write(upgradeTo('/socket.io/?EIO=4&transport=websocket', 'Sec-WebSocket-Extensions: permessage-deflate\r\n'))
  await expect.poll(() => socket.received()).toMatch(/^HTTP\/1\.1 101/)
  expect(headersOf(socket.received())['sec-websocket-extensions']).toBeUndefined()
})
