import { expect, test } from 'vitest'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { bodyOf, sendRaw, statusOf } from './raw-http.ts'

const polling = '/socket.io/?EIO=4&transport=polling'
const webSocket = '/socket.io/?EIO=4&transport=websocket'

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`
const upgrade = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

const requests: [string, string][] = [
  ['an empty sid', get(`${polling}&sid=`)],
  ['an empty sid over a WebSocket', upgrade(`${webSocket}&sid=`)],
  ['an empty sid without a value', get(`${polling}&sid`)],
  ['an empty sid after an unknown one', get(`${polling}&sid=x&sid=`)],
  ['an empty sid before an unknown one', upgrade(`${webSocket}&sid=&sid=x`)],
  ['a transport named twice', get(`${polling}&transport=websocket`)],
  ['a protocol named twice', get(`${polling}&EIO=3`)],
  ['JSONP', get(`${polling}&j=0`)],
]

test('SECURITY-6 a request with an empty sid, a parameter named twice or JSONP is rejected and the process keeps running', async () => {
  // Use a separate process, because such requests have crashed the server before.
  const server = spawnServer({ env: { DATA_DIR: temporaryFolder() } })
  const url = await server.opened()
  for (const [name, bytes] of requests) {
    const response = await sendRaw(url, bytes)
    expect(statusOf(response), name).toBe(400)
    expect(JSON.parse(bodyOf(response)), name).toStrictEqual({ code: 'invalid', message: expect.any(String) })
    expect((await fetch(`${url}/healthz`)).status, name).toBe(200)
    expect(server.output.stdout, name).not.toContain('"level":50')
  }
})
