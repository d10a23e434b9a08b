import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { join, numbered } from '../support/crowd.ts'
import { composerFlaws, unreachable } from './fit.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, room, say } from '../support/room-page.ts'

const noLimits = { MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' }

/** How many pixels of what is shown there are not of its commonest colour. */
async function inkPixels(page: Page, clip: { x: number; y: number; width: number; height: number }): Promise<number> {
  const picture = (await page.screenshot({ clip })).toString('base64')
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    if (context === null) throw new Error('no canvas')
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const counts = new Map<string, number>()
    for (let at = 0; at < data.length; at += 4) {
      const colour = data.slice(at, at + 3).join()
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
    return data.length / 4 - Math.max(...counts.values())
  }, picture)
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`A11Y-5 with forced colours every control keeps its edge, and nothing is written twice (${colorScheme})`, async ({
    page,
    ownServer,
  }) => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme, reducedMotion: 'reduce' })
    const server = await ownServer(noLimits)
    await enterRoom(page, server.url)
    const { message, send, list, entries } = room(page)
    const ann = await join(server.url, 'ann')
    await ann.sayAll(numbered(60))
    await expect(entries).toHaveCount(60)
    await list.evaluate((element) => element.scrollTo(0, 0))
    await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
    await ann.say('one more')
    const unread = page.getByRole('button', { name: 'First unread (1)' })
    await expect(unread).toBeVisible()
    for (const control of [send, message, unread]) {
      const edge = await control.evaluate((element) => {
        const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element)
        return {
          isThere: parseFloat(borderTopWidth) >= 1 && borderTopStyle !== 'none',
          borderTopColor,
          backgroundColor,
        }
      })
      expect(edge.isThere).toBe(true)
      expect(edge.borderTopColor).not.toBe(edge.backgroundColor)
    }
    // The label stands where the placeholder would; one of the two may be seen.
    const placeholder = await message.evaluate((element) => getComputedStyle(element, '::placeholder').opacity)
    expect(placeholder).toBe('0')
    await expect(page.locator('label', { hasText: /^Message$/ })).toBeVisible()

    const pill = await page.locator('[data-connection]').boundingBox()
    const word = await page.getByText('Live', { exact: true }).boundingBox()
    if (pill === null || word === null) throw new Error('no pill')
    const dot = { x: pill.x + 8, y: pill.y + 4, width: word.x - pill.x - 9, height: pill.height - 8 }
    expect(await inkPixels(page, dot)).toBeGreaterThan(30)
    ann.leave()
  })

  test(`A11Y-7 with more contrast every text has at least 7:1 (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ contrast: 'more', colorScheme, reducedMotion: 'reduce' })
    const weak = async () => {
      const { violations } = await new AxeBuilder({ page }).withRules(['color-contrast-enhanced']).analyze()
      return violations.flatMap(({ nodes }) => nodes.map((node) => node.html.slice(0, 160)))
    }
    await enterRoom(page)
    await say(page, 'hello, see https://example.org')
    await room(page).message.fill('x'.repeat(4_000))
    await room(page).message.press('End')
    await room(page).message.press('y')
    await expect(room(page).message).toHaveAttribute('aria-invalid', 'true')
    expect(await weak()).toEqual([])
    for (const path of ['/login', '/register']) {
      await page.goto(path)
      expect({ path, weak: await weak() }).toEqual({ path, weak: [] })
    }
  })
}

test('A11Y-5 with reduced motion nothing moves', async ({ page }) => {
  await page.route('**/socket.io/**', () => {})
  await page.routeWebSocket('**/socket.io/**', () => {})
  const moving = () => page.evaluate(() => document.getAnimations().filter((one) => one.playState === 'running').length)
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Connecting' })).toBeVisible()
  expect(await moving()).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(moving).toBe(0)
})

test('LAYOUT-11 from right to left the page is its own mirror image', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await enterRoom(page)
  await say(page, 'שלום')
  const { send, message, onlineTitle } = room(page)
  const middle = async (part: typeof send) => {
    const box = await part.boundingBox()
    if (box === null) throw new Error('not drawn')
    return box.x + box.width / 2
  }
  const parts = [send, message, onlineTitle, page.getByRole('link', { name: 'Login', exact: true })]
  const before = await Promise.all(parts.map(middle))
  await page.evaluate(() => (document.documentElement.dir = 'rtl'))
  const after = await Promise.all(parts.map(middle))
  for (const [index, x] of after.entries()) {
    expect(Math.abs(x - (1280 - (before[index] ?? 0)))).toBeLessThanOrEqual(24)
  }
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    expect([...(await unreachable(page)), ...(await composerFlaws(page))]).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 700 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeInViewport({ ratio: 1 })
})
