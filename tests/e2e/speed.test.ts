import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enterRoom, live, room, say } from '../support/room-page.ts'

const maxScriptBytes = 100_000
const maxStyleBytes = 12_000

/** What a first visit brings, gzipped, by kind. */
async function weigh(page: Page, path: string) {
  const weights = { script: 0, stylesheet: 0 }
  const pending: Promise<void>[] = []
  page.on('response', (response) => {
    const kind = response.request().resourceType()
    if (kind !== 'script' && kind !== 'stylesheet') return
    pending.push(response.body().then((body) => void (weights[kind] += gzipSync(body, { level: 9 }).length)))
  })
  // What the page fetches when it has come to rest is no part of its first load; on a slow machine that is still under way.
  await page.addInitScript((restMs) => {
    const later = window.setTimeout.bind(window)
    const impatient = (run: () => void, afterMs = 0) => (afterMs >= restMs ? 0 : later(run, afterMs))
    Object.assign(window, { setTimeout: impatient })
  }, 3_000)
  await page.goto(path, { waitUntil: 'networkidle' })
  await live(page)
  await Promise.all(pending)
  return weights
}

for (const path of ['/', '/register', '/login']) {
  test(`SPEED-1 the first load of ${path} stays within its weight`, async ({ page }) => {
    const { script, stylesheet } = await weigh(page, path)
    expect(script).toBeGreaterThan(0)
    expect(script).toBeLessThanOrEqual(maxScriptBytes)
    expect(stylesheet).toBeGreaterThan(0)
    expect(stylesheet).toBeLessThanOrEqual(maxStyleBytes)
  })
}

for (const [path, words] of [
  ['/', 'Messeges'],
  ['/register', 'Create an account'],
  ['/login', 'Login to your account'],
  ['/fetchusers', 'Users'],
] as const) {
  test(`SPEED-2 ${path} stands on the screen before any script has arrived`, async ({ visitor }) => {
    const page = await visitor({ javaScriptEnabled: false })
    await page.goto(path)
    await expect(page.getByText(words, { exact: true })).toBeVisible()
    await expect(page.getByRole('banner').getByText('Chat Room')).toBeVisible()
  })

  test(`SPEED-2 React takes over ${path} without a word on the console`, async ({ page }) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.addInitScript(() => {
      localStorage.setItem('userData', '{"token":"none"}')
      // The page is parsed, and no script of ours has run yet.
      document.addEventListener('readystatechange', () => {
        if (document.readyState === 'interactive') Object.assign(window, { frame: document.querySelector('header') })
      })
    })
    await page.route('**/fetchusers', (route) =>
      route.request().resourceType() === 'fetch' ? route.fulfill({ json: [] }) : route.continue(),
    )
    await page.goto(path)
    await live(page)
    const isSame = () => 'frame' in window && window.frame === document.querySelector('header')
    expect(await page.evaluate(isSame)).toBe(true)
    expect(complaints).toEqual([])
  })
}

test('SPEED-3 pages are revalidated, assets are kept for good, both are compressed', async ({ request }) => {
  const page = await request.get('/', { headers: { 'Accept-Encoding': 'br' } })
  expect(page.headers()['cache-control']).toBe('no-cache')
  expect(page.headers()['etag']).toBeTruthy()
  expect(page.headers()['content-encoding']).toBe('br')
  const asset = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
  for (const encoding of ['br', 'gzip']) {
    const script = await request.get(asset, { headers: { 'Accept-Encoding': encoding } })
    expect(script.headers()['cache-control']).toContain('immutable')
    expect(script.headers()['content-encoding']).toBe(encoding)
  }
  const again = await request.get('/', { headers: { 'If-None-Match': page.headers()['etag'] ?? '' } })
  expect(again.status()).toBe(304)
})

test('SPEED-4 the app can be installed: a manifest whose icons exist', async ({ page, request }) => {
  await page.goto('/')
  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const manifest = (await (await request.get(address ?? '')).json()) as { icons: { src: string; type: string }[] }
  expect(manifest).toMatchObject({ name: 'Chat Room', start_url: '/', display: 'standalone' })
  expect(manifest.icons.length).toBeGreaterThan(2)
  for (const { src, type } of [...manifest.icons, { src: '/apple-touch-icon.png', type: 'image/png' }]) {
    const icon = await request.get(src)
    expect(icon.status()).toBe(200)
    expect(icon.headers()['content-type']).toContain(type)
  }
})

test('SPEED-5 a page that comes back from the back/forward cache, or a new load, is in the room again', async ({
  page,
}) => {
  await enterRoom(page)
  await say(page, 'before')
  await page.goto('/openapi.json')
  await page.goBack()
  await live(page)
  await expect(room(page).onlineIds).toHaveCount(2)
  await say(page, 'after')
})

const lanAddress = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address

test('RT-2 the room works over plain http on a network address, where crypto.randomUUID is missing', async ({
  page,
  application,
}) => {
  test.skip(lanAddress === undefined, 'this machine has no network address')
  await page.goto(application.url.replace('localhost', lanAddress ?? ''))
  expect(await page.evaluate(() => typeof crypto.randomUUID)).toBe('undefined')
  await live(page)
  await say(page, 'from the network')
  await expect(room(page).entries).toHaveText([/ : from the network$/])
})
