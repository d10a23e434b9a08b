import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { maxListCharacters } from '../../server/transport/http/pages/send-static.ts'
import { shareServer } from '../support/shared-server.ts'

const server = shareServer()
const html = { accept: 'text/html,application/xhtml+xml' }

/** Returns the path of the page module, not of the inline script before it. */
async function assetOf(url: string): Promise<string> {
  const page = await (await fetch(url)).text()
  return /type="module"[^>]*src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
}

test('LIMITS-6 a long Accept-Encoding or If-None-Match is ignored, because thousands of elements take milliseconds', async () => {
  const { url } = server()
  const padding = ','.repeat(maxListCharacters)
  const etag = (await fetch(url, { headers: { 'accept-encoding': '' } })).headers.get('etag') ?? ''
  const request = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers })
    return [response.status, response.headers.get('content-encoding')]
  }
  expect(await request({ 'accept-encoding': 'br', 'if-none-match': '"other"' })).toStrictEqual([200, 'br'])
  expect(await request({ 'accept-encoding': `br${padding}` })).toStrictEqual([200, null])
  expect(await request({ 'accept-encoding': '', 'if-none-match': etag })).toStrictEqual([304, null])
  expect(await request({ 'accept-encoding': '', 'if-none-match': etag + padding })).toStrictEqual([200, null])
})

test.each(['/assets/none.js', '/assets/%c0', '/assets/../package.json', '/assets/', '/assets/%2e%2e/index.html'])(
  'EDGE-15 a failed request for %s is not cacheable',
  async (path) => {
    const { url } = server()
    const response = await fetch(url + path)
    expect([400, 404]).toContain(response.status)
    expect(response.headers.get('cache-control') ?? 'no-store').toBe('no-store')
  },
)

test('EDGE-15 the rejection of an upgrade on the path of an asset is not cacheable', async () => {
  const { url } = server()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`GET ${await assetOf(url)} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n`)
  const response = await text(socket)
  expect(response).toMatch(/^HTTP\/1.1 404 /)
  expect(response).toMatch(/^cache-control: no-store\r$/im)
})

test('EDGE-15 an asset is immutable, a page is revalidated at every visit, and both have an ETag', async () => {
  const { url } = server()
  const asset = await assetOf(url)
  for (const [path, cacheControl, contentType] of [
    [asset, 'public, max-age=31536000, immutable', 'text/javascript; charset=utf-8'],
    [routes.room, 'no-cache', 'text/html; charset=utf-8'],
    ['/icon.svg', 'public, max-age=3600', 'image/svg+xml; charset=utf-8'],
  ] as const) {
    const response = await fetch(url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe(cacheControl)
    expect(response.headers.get('content-type')).toBe(contentType)
    expect(response.headers.get('vary')).toMatch(/accept-encoding/i)
    const etag = response.headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(url + path, { headers: { 'if-none-match': known } })
      expect([again.status, await again.text()]).toStrictEqual([304, ''])
      expect(again.headers.get('cache-control')).toBe(cacheControl)
    }
    const other = await fetch(url + path, { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
    const head = await fetch(url + path, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toStrictEqual([200, '', etag])
  }
})

test.each([
  ['/favicon.ico', 'image/x-icon'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
])('EDGE-15 %s, which browsers and crawlers request unasked, is served as %s', async (path, contentType) => {
  const { url } = server()
  const response = await fetch(url + path)
  expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, contentType])
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
})

test('EDGE-18 every page has an Open Graph title, description and image', async () => {
  const { url } = server()
  for (const path of Object.values(routes)) {
    const page = await (await fetch(url + path, { headers: html })).text()
    const contentOf = (property: string) =>
      new RegExp(`<meta\\s+property="og:${property}"\\s+content="([^"]+)"`).exec(page)?.[1] ?? `no ${property}`
    expect([contentOf('type'), contentOf('title')], path).toStrictEqual(['website', 'Chat Room'])
    expect(contentOf('description')).toMatch(/^One shared room/)
    const picture = await fetch(new URL(contentOf('image'), url))
    expect([picture.status, picture.headers.get('content-type')]).toStrictEqual([200, 'image/png'])
  }
})

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['BR;q=0.5', 'br'],
  ['*', 'br'],
  ['identity', null],
  ['br;q=0, *;q=0', null],
  ['', null],
])('EDGE-15 a request with Accept-Encoding %j gets the encoding %s', async (accepted, encoding) => {
  const { url } = server()
  const response = await fetch(url + (await assetOf(url)), { headers: { 'accept-encoding': accepted } })
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(await response.text()).toContain('import')
})

test('EDGE-5 a trailing slash redirects to the page and never to another host', async () => {
  const { url } = server()
  for (const [path, location] of [
    ['/login/', '/login'],
    ['/register//', '/register'],
    ['/fetchusers/?a=b', '/fetchusers?a=b'],
  ] as const) {
    const response = await fetch(url + path, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toStrictEqual([308, location])
  }
  for (const path of ['//evil.example/', '//login/', '/login/x/', '/nowhere/', '/\\evil.example/']) {
    expect((await fetch(`${url}${path}`, { redirect: 'manual' })).status).toBe(404)
  }
})

test('EDGE-5 a request with an unsupported method responds with 404 and does not redirect', async () => {
  const { url } = server()
  for (const [method, path] of [
    ['PUT', '/login'],
    ['PATCH', '/register'],
    ['PUT', '/fetchusers?page=1'],
    ['POST', '/'],
  ] as const) {
    const response = await fetch(url + path, { method, redirect: 'manual' })
    expect([path, response.status]).toStrictEqual([path, 404])
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  }
})

test('EDGE-5 an unknown path responds with a page to a navigation and with JSON otherwise', async () => {
  const { url } = server()
  const pageResponse = await fetch(`${url}/nowhere`, { headers: html })
  expect([pageResponse.status, pageResponse.headers.get('content-type')]).toStrictEqual([
    404,
    'text/html; charset=utf-8',
  ])
  expect(await pageResponse.text()).toContain('There is nothing at this address')
  expect(pageResponse.headers.get('cache-control')).toBe('no-store')
  expect(pageResponse.headers.get('content-security-policy')).toContain("default-src 'self'")
  const jsonResponse = await fetch(`${url}/nowhere`)
  expect([jsonResponse.status, await jsonResponse.json()]).toStrictEqual([
    404,
    { code: 'not_found', message: expect.any(String) },
  ])
  for (const response of [pageResponse, jsonResponse]) expect(response.headers.get('vary')).toMatch(/accept/i)
  const posted = await fetch(`${url}/nowhere`, { method: 'POST', headers: html, body: 'x' })
  expect([posted.status, posted.headers.get('content-type')]).toStrictEqual([404, 'application/json; charset=utf-8'])
})
