import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { maxUnansweredPerConnection } from '../../server/transport/http/protection/limit-requests.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { startBehindProxy } from './from-address.ts'
import { openTcp, sendRaw, statusOf } from './raw-http.ts'

const requestStart = 'http.server.request.start'
/** Number of bytes that the server reads at once. */
const readBytes = 65_536
/**
 * Maximum number of parsed requests. The bytes of one write can arrive in several reads, and the server responds to some
 * requests between two reads.
 */
const maxParsed = maxUnansweredPerConnection * 4

function get(path: string, headers: string[] = [], version = '1.1'): string {
  return `GET ${path} HTTP/${version}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
}

const host = 'Host: x'
const post = (headers: string[], body: string) => get('/login', [host, ...headers]).replace('GET', 'POST') + body
const upgrade = (path: string, headers: string[] = [host], protocol = 'websocket') =>
  get(path, [...headers, 'Connection: Upgrade', `Upgrade: ${protocol}`])

const webSocketPath = '/socket.io/?EIO=4&transport=websocket'
const webSocketKey = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='

/**
 * Malformed and unusual requests. By default, Node, ws, Engine.IO or Fastify responds to most of them before the limits of
 * the application apply.
 */
const kinds: readonly [kind: string, bytes: string][] = [
  ['HTTP/1.1 without Host', get('/')],
  ['HTTP/1.1 without Host, with a body', 'POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx'],
  ['HTTP/1.0 without Host', get('/', ['Connection: keep-alive'], '1.0')],
  ['HTTP/0.9', get('/', [], '0.9')],
  ['an empty Host', get('/', ['Host:'])],
  ['an invalid Host', get('/', ['Host: a b/?@'])],
  ['two Host headers', get('/', [host, 'Host: y'])],
  ['an unknown expectation', get('/', [host, 'Expect: x'])],
  ['an empty expectation', get('/', [host, 'Expect:'])],
  ['Expect: 100-continue', post(['Expect: 100-continue', 'Content-Length: 1'], 'x')],
  ['an unknown expectation without Host', get('/', ['Expect: x'])],
  ['an unknown path', get('/nowhere', [host])],
  ['an invalid path', get('/%c0%ae', [host])],
  ['an absolute URL', get('http://example.org/', [host])],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an unknown method', 'NOTHING / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an unknown version', get('/', [host], '3.7')],
  ['a version of HTTP/2 in a request of HTTP/1', get('/', [], '2.0')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00'],
  ['garbage', 'this is not a request\r\n\r\n'],
  ['a header without a colon', get('/', [host, 'x'])],
  ['headers that are too large', get('/', [host, `X: ${'x'.repeat(17_000)}`])],
  ['a path that is too long', get(`/${'x'.repeat(17_000)}`, [host])],
  ['a URL that is too long', get(`/?${'x'.repeat(3_000)}`, [host])],
  ['too many query parameters', get(`/?${'a&'.repeat(100)}`, [host])],
  ['too many headers', get('/', [host, ...Array<string>(200).fill('a: b')])],
  [
    'JSON that is nested too deeply',
    post(['Content-Type: application/json', 'Content-Length: 9000'], '['.repeat(9_000)),
  ],
  ['two lengths', post(['Content-Length: 1', 'Content-Length: 2'], 'x')],
  ['a length that is not a number', post(['Content-Length: x'], 'x')],
  ['a length and chunks', post(['Content-Length: 1', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  ['an unknown transfer encoding', post(['Transfer-Encoding: x'], 'x')],
  ['an invalid chunk size', post(['Transfer-Encoding: chunked'], 'x\r\n')],
  ['chunk extensions that are too large', post(['Transfer-Encoding: chunked'], `1;${'x'.repeat(17_000)}\r\nx\r\n`)],
  ['a body that is too large', post(['Content-Type: application/json', 'Content-Length: 20000'], ' '.repeat(20_000))],
  ['an upgrade of another path', upgrade('/')],
  ['an upgrade without Host', upgrade('/socket.io/?EIO=4&transport=websocket', [])],
  ['an upgrade to HTTP/2', upgrade('/', [host], 'h2c')],
  ['an upgrade without a WebSocket key', upgrade('/socket.io/?EIO=4&transport=websocket')],
  [
    'an upgrade with an unknown version of WebSocket',
    upgrade(webSocketPath, [host, webSocketKey, 'Sec-WebSocket-Version: 7']),
  ],
  [
    'an upgrade with an invalid key',
    upgrade(webSocketPath, [host, 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13']),
  ],
  [
    'an upgrade by POST',
    upgrade(webSocketPath, [host, webSocketKey, 'Sec-WebSocket-Version: 13']).replace('GET', 'POST'),
  ],
  ['an upgrade of an unknown transport', upgrade('/socket.io/?EIO=4&transport=x')],
  ['an upgrade of an unknown session', upgrade('/socket.io/?EIO=4&transport=websocket&sid=x')],
  ['an unknown transport', get('/socket.io/?EIO=4&transport=x', [host])],
  ['an unknown session', get('/socket.io/?EIO=4&transport=polling&sid=x', [host])],
]

const counts = { parsed: 0, limited: 0 }
let server: TestServer

/**
 * Counts the requests that Node has parsed, except upgrades, and those that reach the listeners with the limits. The second
 * count starts at the first request.
 */
function onRequestStart(message: unknown): void {
  if (counts.parsed++ === 0) (message as { server: Server }).server.prependListener('request', () => counts.limited++)
}

beforeAll(async () => {
  let clean = async () => undefined as void
  server = await startServer({}, { whenDone: (done) => (clean = done) })
  subscribe(requestStart, onRequestStart)
  await fetch(`${server.url}/healthz`)
  return async () => {
    unsubscribe(requestStart, onRequestStart)
    await clean()
  }
})

const finalResponses = (text: string) => text.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0

test.each(kinds)(
  'SECURITY-3 a connection gets at most one response that bypasses the limits, and is closed: %s',
  async (_kind, bytes) => {
    const before = { ...counts }
    const connection = await openTcp(server.url)
    connection.write(bytes.repeat(Math.ceil(readBytes / bytes.length)), 'latin1')
    const text = await connection.ended
    const parsed = counts.parsed - before.parsed
    const limited = counts.limited - before.limited
    expect(parsed).toBeLessThanOrEqual(maxParsed)
    expect(limited).toBe(parsed)
    expect(finalResponses(text)).toBeLessThanOrEqual(Math.max(1, limited))
  },
)

test('SECURITY-3 an address without budget gets 429 for every kind of request', async () => {
  const { url } = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '1' })
  const address = 'X-Forwarded-For: 203.0.113.9'
  const attacker = `${address}\r\nConnection: close`
  const probes = get('/healthz', [host, address]).repeat(7) + get('/healthz', [host, attacker])
  // After 100 rejections the server rejects each request of the address for 10 s, even if the budget has refilled.
  let rejections = 0
  const spend = async () => {
    while (rejections < 120) if (finalResponses(await sendRaw(url, probes)) < 8) rejections++
  }
  await Promise.all(Array.from({ length: 8 }, spend))
  const responses: Record<string, string> = {}
  for (const [kind, bytes] of Object.entries({
    'without Host': get('/healthz', [attacker]),
    'HTTP/1.0': get('/healthz', [attacker], '1.0'),
    'two Host headers': get('/healthz', [host, 'Host: y', attacker]),
    'unknown expectation': get('/healthz', [host, 'Expect: x', attacker]),
    '100-continue': post(['Expect: 100-continue', 'Content-Length: 1', attacker], ''),
    'upgrade of another path': upgrade('/', [host, address]),
    'upgrade without Host': upgrade('/socket.io/?EIO=4&transport=websocket', [address]),
  }))
    responses[kind] = (await sendRaw(url, bytes)).slice(0, 12)
  expect(new Set(Object.values(responses)), JSON.stringify(responses)).toStrictEqual(new Set(['HTTP/1.1 429']))
})

test('SECURITY-3 an admitted request with Expect: 100-continue gets 100 and a response', async () => {
  const connection = await openTcp(server.url)
  const body = JSON.stringify({ name: 'unknown', password: 'wrong' })
  const type = 'Content-Type: application/json'
  connection.write(post([type, 'Expect: 100-continue', `Content-Length: ${body.length}`, 'Connection: close'], ''))
  await expect.poll(() => connection.received()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  connection.write(body)
  expect(await connection.ended).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
})

test('SECURITY-3 an HTTP/1.0 health check without Host gets a response', async () => {
  expect(statusOf(await sendRaw(server.url, get('/healthz', [], '1.0')))).toBe(200)
})
