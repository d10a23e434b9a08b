import type { Page } from '@playwright/test'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { axe, describeViolations } from './axe.ts'
import { composerProblems, unreachableElements } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, room, sendMessage } from '../support/room-page.ts'

/** Returns the number of pixels in an area that differ from its most common colour. */
async function countInkPixels(
  page: Page,
  clip: { x: number; y: number; width: number; height: number },
): Promise<number> {
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
  test(`A11Y-5 with forced colours every control has a visible border, and no placeholder overlaps a label (${colorScheme})`, async ({
    page,
    application,
  }) => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme, reducedMotion: 'reduce' })
    await enterRoom(page)
    const { message, send, list, entries } = room(page)
    const ann = await connectClient(application.url, 'ann')
    await ann.sendAll(numberedTexts(60))
    await expect(entries).toHaveCount(60)
    await list.evaluate((element) => element.scrollTo(0, 0))
    await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
    await ann.send('one more')
    const unread = page.getByRole('button', { name: 'First unread (1)' })
    await expect(unread).toBeVisible()
    for (const control of [send, message, unread]) {
      const border = await control.evaluate((element) => {
        const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element)
        return {
          hasBorder: parseFloat(borderTopWidth) >= 1 && borderTopStyle !== 'none',
          borderTopColor,
          backgroundColor,
        }
      })
      expect(border.hasBorder).toBe(true)
      expect(border.borderTopColor).not.toBe(border.backgroundColor)
    }
    // Label and placeholder have the same position, so only one of them may be visible.
    const placeholder = await message.evaluate((element) => getComputedStyle(element, '::placeholder').opacity)
    expect(placeholder).toBe('0')
    await expect(page.locator('label', { hasText: /^Message$/ })).toBeVisible()

    const pill = await page.locator('[data-connection]').boundingBox()
    const word = await page.getByText('Live', { exact: true }).boundingBox()
    if (pill === null || word === null) throw new Error('no pill')
    const dot = { x: pill.x + 8, y: pill.y + 4, width: word.x - pill.x - 9, height: pill.height - 8 }
    expect(await countInkPixels(page, dot)).toBeGreaterThan(30)
    ann.disconnect()
  })

  test(`A11Y-7 with prefers-contrast: more, every text has a contrast of at least 7:1 (${colorScheme})`, async ({
    page,
  }) => {
    await page.emulateMedia({ contrast: 'more', colorScheme, reducedMotion: 'reduce' })
    const lowContrast = async () => describeViolations((await axe(page)).withRules(['color-contrast-enhanced']))
    await enterRoom(page)
    await sendMessage(page, 'hello, see https://example.org')
    await room(page).message.fill('x'.repeat(4_000))
    await room(page).message.press('End')
    await room(page).message.press('y')
    await expect(room(page).message).toHaveAttribute('aria-invalid', 'true')
    expect(await lowContrast()).toEqual([])
    for (const path of ['/login', '/register']) {
      await page.goto(path)
      expect({ path, lowContrast: await lowContrast() }).toEqual({ path, lowContrast: [] })
    }
  })
}

test('A11Y-5 with prefers-reduced-motion no animation runs, and a change of style starts no transition', async ({
  page,
}) => {
  await page.route('**/socket.io/**', () => {})
  await page.routeWebSocket('**/socket.io/**', () => {})
  const runningAnimations = () =>
    page.evaluate(() => document.getAnimations().filter((one) => one.playState === 'running').length)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Connecting' })).toBeVisible()
  expect(await runningAnimations()).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(runningAnimations).toBe(0)
  const transitions = await page.evaluate(() => {
    document.documentElement.style.fontSize = '150%'
    return document.getAnimations().filter((one) => one instanceof CSSTransition).length
  })
  expect(transitions).toBe(0)
})

test('LAYOUT-11 in right-to-left direction the page is mirrored', async ({ page }) => {
  await enterRoom(page)
  await sendMessage(page, 'שלום')
  const { send, message, onlineTitle } = room(page)
  const middle = async (part: typeof send) => {
    const box = await part.boundingBox()
    if (box === null) throw new Error('not rendered')
    return box.x + box.width / 2
  }
  const tools = page.getByRole('button', { name: 'Notifications' })
  const parts = [send, message, onlineTitle, page.getByRole('link', { name: 'Login', exact: true }), tools]
  const before = await Promise.all(parts.map(middle))
  await page.evaluate(() => (document.documentElement.dir = 'rtl'))
  const after = await Promise.all(parts.map(middle))
  for (const [index, x] of after.entries()) {
    expect(Math.abs(x - (1280 - (before[index] ?? 0)))).toBeLessThanOrEqual(24)
  }
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    expect([...(await unreachableElements(page)), ...(await composerProblems(page))]).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 700 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeInViewport({ ratio: 1 })
})
