import type { Page } from '@playwright/test'
import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { sizeViolations } from './axe.ts'
import {
  waitForStableLayout,
  composerProblems,
  setTextSize,
  type Size,
  sizes,
  textSizes,
  unreachableElements,
} from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, sendEach, room, sendMessage } from '../support/room-page.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Sizes where an additional line matters most: low screens, the most common phone and the first size with a sidebar. */
const tightSizes = sizes.filter(({ width, height }) => height < 400 || width === 390 || width === 960)

/** Returns the layout problems of the open page at each of the given sizes with each text size. */
async function problemsAt(someSizes: Size[], page: Page): Promise<string[]> {
  const found: string[] = []
  for (const size of someSizes) {
    await page.setViewportSize(size)
    for (const text of textSizes) {
      await setTextSize(page, text)
      const problems = [...(await unreachableElements(page)), ...(await composerProblems(page))]
      found.push(...problems.map((problem) => `${size.width}×${size.height} at ${text} %: ${problem}`))
    }
  }
  await setTextSize(page, 100)
  return found
}

test('LAYOUT-7 at every size and text size the message field is wide enough and in view, and every element is reachable', async ({
  page,
  application,
}) => {
  // Slow because it lays out 72 combinations of size and text size.
  test.slow()
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await sendMessage(page, `message ${count}`)
  expect(await problemsAt(sizes, page)).toEqual([])

  await page.setViewportSize({ width: 1280, height: 800 })
  await logIn(page, account)
  await expect(room(page).message).toBeVisible()
  expect(await problemsAt(sizes, page)).toEqual([])
})

test('LAYOUT-7 with the list scrolled up, at every size the list shows two lines and both scroll buttons fit', async ({
  page,
  openVisitor,
}) => {
  test.slow()
  await enterRoom(page)
  for (let count = 1; count <= 40; count++) await sendMessage(page, `message ${count}`)
  const other = await openVisitor()
  await enterRoom(other)
  await room(page).list.evaluate((list) => (list.scrollTop = 0))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  for (let count = 1; count <= 10; count++) await sendMessage(other, `unread ${count}`)
  await expect(page.getByRole('button', { name: 'First unread (10)' })).toBeVisible()
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const text of textSizes) {
      await setTextSize(page, text)
      await expect.poll(() => scrolledUpProblems(page), `${size.width}×${size.height} at ${text} %`).toEqual([])
    }
  }
})

test('LAYOUT-5 login and registration fit on the narrowest phone at 200 % text size', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 })
  for (const path of ['/login', '/register']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await setTextSize(page, 200)
    expect([path, ...(await unreachableElements(page))]).toEqual([path])
  }
})

async function scrolledUpProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : []
    const twoLinesPx = 3 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const listPx = document.querySelector('.message-scroller')?.clientHeight ?? 0
    if (listPx < twoLinesPx) found.push(`the list is ${listPx} px high`)
    const buttons = [...document.querySelectorAll<HTMLElement>('.reading-button')]
    if (buttons.length !== 2) found.push(`there are ${buttons.length} scroll buttons`)
    for (const button of buttons) {
      const { left, right } = button.getBoundingClientRect()
      if (left < 0 || right > clientWidth) found.push(`${button.innerText} does not fit`)
    }
    return found
  })
}

test('LAYOUT-7 an error below the message field does not shrink the field', async ({ page }) => {
  await enterRoom(page)
  await sendMessage(page, 'hello')
  await room(page).message.fill('x'.repeat(4_000))
  await room(page).message.press('End')
  await room(page).message.press('y')
  await expect(room(page).message).toHaveAttribute('aria-invalid', 'true')
  expect(await problemsAt(tightSizes, page)).toEqual([])
})

/** Kills the server, queues three messages and types a fourth one. */
async function queueWithoutServer(page: Page, server: { kill: () => Promise<unknown> }) {
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await sendEach(page, 'one', 'two', 'three')
  await room(page).message.fill('four')
}

test('LAYOUT-7 with a lost connection and three queued messages above it, the message field keeps its size', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  await enterRoom(page, server.url)
  await sendMessage(page, 'hello')
  await queueWithoutServer(page, server)
  await expect(room(page).outbox).toHaveCount(3)
  expect(await problemsAt(tightSizes, page)).toEqual([])
  // The queue scrolls. On a phone it takes at most nine lines from the message list.
  await page.setViewportSize({ width: 390, height: 844 })
  const queue = page.getByRole('list', { name: 'Not sent yet' })
  expect((await queue.boundingBox())?.height).toBeLessThanOrEqual(9 * 16)
})

test('LAYOUT-7 on the smallest screen a button above the message field does not move while it is pressed', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  await page.setViewportSize({ width: 320, height: 256 })
  await enterRoom(page, server.url)
  await sendMessage(page, 'hello')
  await queueWithoutServer(page, server)
  await room(page).message.blur()
  const button = room(page).outbox.first().getByRole('button', { name: 'Take back' })
  // The button is at the lower edge of the screen, so the rest of the composer is out of view.
  await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
  await button.hover()
  await waitForStableLayout(page)
  const topPx = async () => Math.round((await button.boundingBox())?.y ?? Number.NaN)
  const before = await topPx()
  await page.mouse.down()
  await waitForStableLayout(page)
  expect(await topPx()).toBe(before)
  await page.mouse.up()
  await expect(room(page).outbox.first()).toHaveAttribute('data-state', 'held')
})

test('A11Y-2 axe reports no violation at any size and text size, logged in or not', async ({ page, application }) => {
  // Slow because axe analyses 72 combinations of size, text size and login.
  test.slow()
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await sendMessage(page, `message ${count}`)
  const found: string[] = []
  const analyse = async (user: string) => {
    for (const size of sizes) {
      await page.setViewportSize(size)
      for (const text of textSizes) {
        await setTextSize(page, text)
        await waitForStableLayout(page)
        const problems = await sizeViolations(page)
        found.push(...problems.map((problem) => `${user}, ${size.width}×${size.height} at ${text} %: ${problem}`))
      }
    }
    await setTextSize(page, 100)
  }
  await analyse('anonymous')
  await page.setViewportSize({ width: 1280, height: 800 })
  await logIn(page, account)
  await expect(room(page).message).toBeVisible()
  await analyse('logged in')
  expect(found).toEqual([])
})

test('LAYOUT-7 an on-screen keyboard that covers the page without resizing it leaves the message field in view', async ({
  openVisitor,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoom(page)
  for (let count = 1; count <= 12; count++) await sendMessage(page, `message ${count}`)
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
      const problems = await composerProblems(page, visible)
      expect({ width, visible, text, problems }).toEqual({ width, visible, text, problems: [] })
    }
  }
})

test('LAYOUT-7 on a low screen the header, the titles and the online row scroll out of view while the user types', async ({
  page,
}) => {
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await sendMessage(page, `message ${count}`)
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

test('LAYOUT-7 on a small screen with an on-screen keyboard a third of the visible height shows messages', async ({
  page,
}) => {
  await enterRoom(page)
  for (let count = 1; count <= 8; count++) await sendMessage(page, `message ${count}`)
  for (const size of [
    { width: 320, height: 256 },
    { width: 390, height: 260 },
    { width: 844, height: 250 },
  ]) {
    await page.setViewportSize(size)
    expect({ size, problems: await composerProblems(page) }).toEqual({ size, problems: [] })
    const shownPx = await room(page).list.evaluate((list) => {
      const { top, bottom } = list.getBoundingClientRect()
      return Math.min(bottom, window.innerHeight) - Math.max(top, 0)
    })
    expect(shownPx, `${size.width}×${size.height}`).toBeGreaterThanOrEqual(size.height / 3)
    await expect(room(page).entries.last()).toBeInViewport({ ratio: 1 })
  }
})
