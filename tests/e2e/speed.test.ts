import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { routes } from '../../contract/routes.ts'
import { enterRoom, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

const maxScriptBytes = 100_000
const maxStyleBytes = 12_000

/** Lets the page show an empty list of users. Without a token, the page would go back to another screen. */
async function provideUsers(page: Page) {
  await page.addInitScript(() => localStorage.setItem('userData', '{"token":"none"}'))
  await page.route('**/fetchusers', (route) =>
    route.request().resourceType() === 'fetch' ? route.fulfill({ json: [] }) : route.continue(),
  )
}

/** Drops timers of 3 s or more, so that the page does not prefetch code while a slow machine still loads it. */
const preventPrefetch = (page: Page) =>
  page.addInitScript((prefetchDelayMs) => {
    const later = window.setTimeout.bind(window)
    const withoutLongTimers = (run: () => void, afterMs = 0) => (afterMs >= prefetchDelayMs ? 0 : later(run, afterMs))
    Object.assign(window, { setTimeout: withoutLongTimers })
  }, 3_000)

/** Returns the gzipped size, in bytes, of the scripts and of the style sheets that a first visit loads. */
async function measureFirstLoad(page: Page, path: string) {
  const bytes = { script: 0, stylesheet: 0 }
  const pending: Promise<void>[] = []
  page.on('response', (response) => {
    const kind = response.request().resourceType()
    if (kind !== 'script' && kind !== 'stylesheet') return
    pending.push(response.body().then((body) => void (bytes[kind] += gzipSync(body, { level: 9 }).length)))
  })
  // The prefetched code is not part of the first load.
  await preventPrefetch(page)
  await page.goto(path, { waitUntil: 'networkidle' })
  await waitUntilLive(page)
  await Promise.all(pending)
  return bytes
}

test('SPEED-6 the code of the list is fetched when the user starts to type, before the first message', async ({
  page,
}) => {
  await preventPrefetch(page)
  await enterRoom(page)
  const fetched = page.waitForRequest('**/assets/message-scroller-*.js')
  await room(page).message.fill('h')
  await fetched
})

for (const path of Object.values(routes)) {
  test(`SPEED-1 SPEED-2 the first load of ${path} stays within its byte budget, and React hydrates it without an error or warning`, async ({
    page,
  }) => {
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    await provideUsers(page)
    await page.addInitScript(() => {
      // In this state the page is parsed, and no script of the application has run yet.
      document.addEventListener('readystatechange', () => {
        if (document.readyState === 'interactive') Object.assign(window, { header: document.querySelector('header') })
      })
    })
    const { script, stylesheet } = await measureFirstLoad(page, path)
    expect(script).toBeGreaterThan(0)
    expect(script).toBeLessThanOrEqual(maxScriptBytes)
    expect(stylesheet).toBeGreaterThan(0)
    expect(stylesheet).toBeLessThanOrEqual(maxStyleBytes)
    const isSameHeader = () => 'header' in window && window.header === document.querySelector('header')
    expect(await page.evaluate(isSameHeader)).toBe(true)
    expect(problems).toEqual([])
  })
}

test('SPEED-3 pages are revalidated, assets are immutable, and both are compressed', async ({ request }) => {
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

test('SPEED-4 the web app manifest makes the app installable, and its icons exist', async ({ page, request }) => {
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

test('SPEED-5 after Back from another page the page is connected to the room again', async ({ page }) => {
  await enterRoom(page)
  await sendMessage(page, 'before')
  await page.goto('/openapi.json')
  await page.goBack()
  await waitUntilLive(page)
  await expect(room(page).onlineIds).toHaveCount(2)
  await sendMessage(page, 'after')
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
  await waitUntilLive(page)
  await sendMessage(page, 'from the network')
  await expect(room(page).entries).toHaveText([/ : from the network$/])
})
