import type { Page } from '@playwright/test'
import { alertsOf, logIn, registerAccount } from '../support/accounts.ts'
import { violationsOfSize } from './axe.ts'
import { atRest, composerFlaws, setTextSize, type Size, sizes, textSizes, unreachable } from './fit.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, pressEach, room, say } from '../support/room-page.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Where another line costs most; the smallest, the commonest and the first with a sidebar. */
const tightSizes = sizes.filter(({ width, height }) => height < 400 || width === 390 || width === 960)

/** Every size with every size of text; the page is the same, only what holds it changes. */
async function flawsAt(some: Size[], page: Page): Promise<string[]> {
  const found: string[] = []
  for (const size of some) {
    await page.setViewportSize(size)
    for (const text of textSizes) {
      await setTextSize(page, text)
      const flaws = [...(await unreachable(page)), ...(await composerFlaws(page))]
      found.push(...flaws.map((flaw) => `${size.width}×${size.height} at ${text} %: ${flaw}`))
    }
  }
  await setTextSize(page, 100)
  return found
}

test('LAYOUT-7 at every size and text size the field is wide enough, in view, and nothing is out of reach', async ({
  page,
  application,
}) => {
  // Seventy-two cases, each drawn and settled.
  test.slow()
  alertsOf(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await say(page, `message ${count}`)
  expect(await flawsAt(sizes, page)).toEqual([])

  await page.setViewportSize({ width: 1280, height: 800 })
  await logIn(page, account)
  await expect(room(page).message).toBeVisible()
  expect(await flawsAt(sizes, page)).toEqual([])
})

test('LAYOUT-7 for who reads back the list keeps two lines, and the ways to the end fit, at every size', async ({
  page,
  visitor,
}) => {
  test.slow()
  await enterRoom(page)
  for (let count = 1; count <= 40; count++) await say(page, `message ${count}`)
  const other = await visitor()
  await enterRoom(other)
  await room(page).list.evaluate((list) => (list.scrollTop = 0))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  for (let count = 1; count <= 10; count++) await say(other, `unread ${count}`)
  await expect(page.getByRole('button', { name: 'First unread (10)' })).toBeVisible()
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const text of textSizes) {
      await setTextSize(page, text)
      await expect.poll(() => readingFlaws(page), `${size.width}×${size.height} at ${text} %`).toEqual([])
    }
  }
})

test('LAYOUT-5 login and registration fit on the narrowest phone with text twice as large', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 })
  for (const path of ['/login', '/register']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await setTextSize(page, 200)
    expect([path, ...(await unreachable(page))]).toEqual([path])
  }
})

async function readingFlaws(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : []
    const twoLinesPx = 3 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const listPx = document.querySelector('.message-scroller')?.clientHeight ?? 0
    if (listPx < twoLinesPx) found.push(`the list is ${listPx} px high`)
    const buttons = [...document.querySelectorAll<HTMLElement>('.reading-button')]
    if (buttons.length !== 2) found.push(`there are ${buttons.length} ways to the end`)
    for (const button of buttons) {
      const { left, right } = button.getBoundingClientRect()
      if (left < 0 || right > clientWidth) found.push(`${button.innerText} does not fit`)
    }
    return found
  })
}

test('LAYOUT-7 a refusal under the field takes nothing from it', async ({ page }) => {
  await enterRoom(page)
  await say(page, 'hello')
  await room(page).message.fill('x'.repeat(4_000))
  await room(page).message.press('End')
  await room(page).message.press('y')
  await expect(room(page).message).toHaveAttribute('aria-invalid', 'true')
  expect(await flawsAt(tightSizes, page)).toEqual([])
})

/** Three messages that wait for a server that is gone, and a fourth in the field. */
async function pressWithoutServer(page: Page, server: { kill: () => Promise<unknown> }) {
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await pressEach(page, 'one', 'two', 'three')
  await room(page).message.fill('four')
}

test('LAYOUT-7 with the connection lost and three messages waiting above it the field keeps its room', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  await say(page, 'hello')
  await pressWithoutServer(page, server)
  await expect(room(page).outbox).toHaveCount(3)
  expect(await flawsAt(tightSizes, page)).toEqual([])
  // What waits scrolls in itself: on a phone it takes nine lines from the talk, and never more.
  await page.setViewportSize({ width: 390, height: 844 })
  const waiting = page.getByRole('list', { name: 'Not sent yet' })
  expect((await waiting.boundingBox())?.height).toBeLessThanOrEqual(9 * 16)
})

test('LAYOUT-7 a button above the field stays under the pointer while it is pressed, however small the screen is', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  await page.setViewportSize({ width: 320, height: 256 })
  await enterRoom(page, server.url)
  await say(page, 'hello')
  await pressWithoutServer(page, server)
  await room(page).message.blur()
  const button = room(page).outbox.first().getByRole('button', { name: 'Take back' })
  // At the lower edge of the screen: whatever belongs to it below is out of sight.
  await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
  await button.hover()
  await atRest(page)
  const topPx = async () => Math.round((await button.boundingBox())?.y ?? Number.NaN)
  const before = await topPx()
  await page.mouse.down()
  await atRest(page)
  expect(await topPx()).toBe(before)
  await page.mouse.up()
  await expect(room(page).outbox.first()).toHaveAttribute('data-state', 'held')
})

test('A11Y-2 axe finds nothing at any size, with any size of text, logged in or not', async ({ page, application }) => {
  // Seventy-two cases, each drawn, settled and looked through.
  test.slow()
  alertsOf(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await say(page, `message ${count}`)
  const found: string[] = []
  const look = async (who: string) => {
    for (const size of sizes) {
      await page.setViewportSize(size)
      for (const text of textSizes) {
        await setTextSize(page, text)
        await atRest(page)
        const flaws = await violationsOfSize(page)
        found.push(...flaws.map((flaw) => `${who}, ${size.width}×${size.height} at ${text} %: ${flaw}`))
      }
    }
    await setTextSize(page, 100)
  }
  await look('anonymous')
  await page.setViewportSize({ width: 1280, height: 800 })
  await logIn(page, account)
  await expect(room(page).message).toBeVisible()
  await look('logged in')
  expect(found).toEqual([])
})

test('LAYOUT-7 a keyboard that only covers the page leaves the field above it', async ({ visitor }) => {
  const page = await visitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoom(page)
  for (let count = 1; count <= 12; count++) await say(page, `message ${count}`)
  for (const { width, height, visible } of [
    { width: 390, height: 844, visible: 450 },
    { width: 390, height: 844, visible: 330 },
    { width: 320, height: 568, visible: 256 },
    { width: 844, height: 390, visible: 190 },
  ]) {
    await page.setViewportSize({ width, height })
    await page.evaluate((visiblePx) => {
      const viewport = window.visualViewport
      if (viewport === null) throw new Error('no visual viewport')
      Object.defineProperty(viewport, 'height', { configurable: true, get: () => visiblePx })
      viewport.dispatchEvent(new Event('resize'))
    }, visible)
    for (const text of textSizes) {
      await setTextSize(page, text)
      const flaws = await composerFlaws(page, visible)
      expect({ width, visible, text, flaws }).toEqual({ width, visible, text, flaws: [] })
    }
  }
})

test('LAYOUT-7 with little height bar, titles and online row make room for talk and composer while somebody types', async ({
  page,
}) => {
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await say(page, `message ${count}`)
  const { message, onlineTitle, entries } = room(page)
  for (const size of [
    { width: 390, height: 330 },
    { width: 844, height: 250 },
  ]) {
    await page.setViewportSize(size)
    await message.blur()
    await message.focus()
    await expect(page.getByRole('banner')).not.toBeInViewport()
    await expect(onlineTitle).not.toBeInViewport()
    await expect(entries.last()).toBeInViewport({ ratio: 1 })
    await expect(message).toBeInViewport({ ratio: 1 })
    await onlineTitle.scrollIntoViewIfNeeded()
    await expect(onlineTitle).toBeInViewport({ ratio: 1 })
  }
})

test('LAYOUT-7 with a keyboard over most of a small screen a third of the rest is left to the talk', async ({
  page,
}) => {
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await say(page, `message ${count}`)
  for (const size of [
    { width: 320, height: 256 },
    { width: 390, height: 260 },
    { width: 844, height: 250 },
  ]) {
    await page.setViewportSize(size)
    expect({ size, flaws: await composerFlaws(page) }).toEqual({ size, flaws: [] })
    const shownPx = await room(page).list.evaluate((list) => {
      const { top, bottom } = list.getBoundingClientRect()
      return Math.min(bottom, window.innerHeight) - Math.max(top, 0)
    })
    expect(shownPx, `${size.width}×${size.height}`).toBeGreaterThanOrEqual(size.height / 3)
    await expect(room(page).entries.last()).toBeInViewport({ ratio: 1 })
  }
})
