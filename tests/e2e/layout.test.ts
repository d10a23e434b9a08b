import type { Page } from '@playwright/test'
import { routes } from '../../contract/routes.ts'
import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { setTextSize, waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoomWithMessages } from './message-list.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, room, sendMessage } from '../support/room-page.ts'
import { serveInPieces } from './slow-pages.ts'

const sizes = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 959, height: 700 },
  { width: 960, height: 700 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
]

interface LayoutProblem {
  problem: string
  element: string
}

/**
 * Returns horizontal overflow, clipped or tiny text, covered or clipped controls, controls less than 44 px high and
 * buttons less than 44 px wide.
 */
async function layoutProblems(page: Page): Promise<LayoutProblem[]> {
  await waitForStableLayout(page)
  return page.evaluate((): LayoutProblem[] => {
    const found: LayoutProblem[] = []
    const describe = (element: Element) => `${element.tagName} ${(element.textContent ?? '').slice(0, 30)}`
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) found.push({ problem: 'scrolls horizontally', element: 'page' })
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const style = getComputedStyle(element)
      const scrolls = style.overflowX === 'auto' || style.overflowX === 'scroll'
      if (scrolls && element.scrollWidth > element.clientWidth + 1) {
        found.push({ problem: 'scrolls horizontally', element: describe(element) })
      }
    }
    const controls = [...document.querySelectorAll<HTMLElement>('a, button, input, textarea')].filter(
      (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1,
    )
    for (const control of controls) {
      const box = control.getBoundingClientRect()
      if (box.left < 0 || box.right > root.clientWidth)
        found.push({ problem: 'is clipped', element: describe(control) })
      if (control.closest('li[value]') === null && box.height < 43.5) {
        found.push({ problem: `is ${box.height} px high`, element: describe(control) })
      }
      if (control.tagName === 'BUTTON' && box.width < 43.5) {
        found.push({ problem: `is ${box.width} px wide`, element: describe(control) })
      }
      const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
      const inView = box.top >= 0 && box.bottom <= window.innerHeight
      const inScroller = control.closest('li[value]') !== null
      if (inView && !inScroller && middle !== null && !control.contains(middle)) {
        found.push({ problem: `is covered by ${describe(middle)}`, element: describe(control) })
      }
    }
    for (const text of document.querySelectorAll<HTMLElement>('h1, h2, p, label, legend')) {
      if (!text.checkVisibility() || text.closest('.sr-only') !== null) continue
      if (
        text.scrollWidth > text.clientWidth + 1 &&
        text.clientWidth > 0 &&
        getComputedStyle(text).display !== 'inline'
      ) {
        found.push({ problem: 'has clipped text', element: describe(text) })
      }
    }
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = words.nextNode(); text !== null; text = words.nextNode()) {
      const holder = text.parentElement
      if (holder === null || !holder.checkVisibility() || text.nodeValue?.trim() === '') continue
      const px = Number.parseFloat(getComputedStyle(holder).fontSize)
      if (px < 11) found.push({ problem: `has text of ${px} px`, element: describe(holder) })
    }
    return found
  })
}

/**
 * Describes the titles, inputs and submit buttons whose order on the screen differs from their order in the document.
 */
const readingOrderProblems = (page: Page) =>
  page.evaluate(() => {
    const parts = [
      ...document.querySelectorAll('header, main h1, main h2, main input, main button[type=submit]'),
    ].filter((element) => element.checkVisibility())
    const wrong: string[] = []
    for (const [index, part] of parts.entries()) {
      const previous = parts[index - 1]
      if (previous === undefined) continue
      const a = previous.getBoundingClientRect()
      const b = part.getBoundingClientRect()
      const isAfter = b.top >= a.bottom - 1 || b.left >= a.right - 1
      if (!isAfter)
        wrong.push(
          `${part.textContent || part.tagName} is displayed before ${previous.textContent || previous.tagName}`,
        )
    }
    return wrong
  })

test('LAYOUT-1 at every size no element overflows, overlaps or is clipped', async ({ page, application }) => {
  const account = await registerAccount(application.url)
  await page.addInitScript((data) => localStorage.setItem('userData', data), JSON.stringify(account.response))
  const expectNoProblems = async (check = async () => {}) => {
    for (const size of sizes) {
      await page.setViewportSize(size)
      expect({ size, problems: await layoutProblems(page) }).toEqual({ size, problems: [] })
      await check()
    }
  }
  const expectReadingOrder = async () => expect(await readingOrderProblems(page)).toEqual([])
  for (const path of ['/register', '/login']) {
    await page.goto(path)
    await expectNoProblems(expectReadingOrder)
  }
  await page.goto('/fetchusers')
  await expect(page.getByText(account.email)).toBeVisible()
  await expectNoProblems()

  await enterRoom(page)
  await expectNoProblems(() => expect(room(page).onlineTitle).toBeInViewport({ ratio: 1 }))
  await room(page).customName.fill('n'.repeat(64))
  await sendMessage(page, 'x'.repeat(2_000))
  await sendMessage(page, `https://example.org/${'y'.repeat(500)} and words after it`)
  await sendMessage(page, 'short')
  await expect(room(page).entries).toHaveCount(3)
  await expectNoProblems(async () => {
    await expectReadingOrder()
    await expect(room(page).entries.last()).toBeInViewport({ ratio: 1 })
    await expect(room(page).send).toBeInViewport({ ratio: 1 })
  })
})

test('LAYOUT-1 a long account name fits into the navigation bar and the composer', async ({ page, application }) => {
  collectAlerts(page)
  const account = await registerAccount(application.url, `${Date.now()}-${'w'.repeat(50)}`)
  await page.setViewportSize({ width: 1000, height: 700 })
  await enterRoom(page)
  await logIn(page, account)
  expect(await layoutProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeInViewport({ ratio: 1 })
})

test('LAYOUT-2 the online panel is a sidebar on a desktop and collapses under its title on a phone', async ({
  page,
}) => {
  await enterRoom(page)
  const { onlineTitle, onlineIds, message, onlineList } = room(page)
  await expect(onlineIds).not.toHaveCount(0)
  const title = await onlineTitle.boundingBox()
  const composer = await message.boundingBox()
  expect((title?.x ?? 0) + (title?.width ?? 0)).toBeLessThan(composer?.x ?? 0)

  await page.setViewportSize({ width: 390, height: 844 })
  await expect(onlineTitle).toBeInViewport({ ratio: 1 })
  await expect(onlineTitle).toHaveText(/^Online Users Socket Id \[\d+\]$/)
  await expect(onlineList).toBeHidden()
  const toggle = onlineTitle.getByRole('button')
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await toggle.click()
  await expect(onlineIds.first()).toBeVisible()
  await expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await toggle.click()
  await expect(onlineList).toBeHidden()
})

test('LAYOUT-3 on a phone with open keyboard the composer and the newest message are both in view', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoomWithMessages(page, application.url, 12)
  const { entries, message, send } = room(page)

  // In some browsers the keyboard resizes the page (interactive-widget).
  await page.setViewportSize({ width: 390, height: 450 })
  await expect(entries.last()).toBeInViewport({ ratio: 1 })
  await expect(message).toBeInViewport({ ratio: 1 })
  await expect(send).toBeInViewport({ ratio: 1 })

  // In other browsers the keyboard resizes only the visual viewport.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(() => {
    const viewport = window.visualViewport
    if (viewport === null) throw new Error('no visual viewport')
    Object.defineProperty(viewport, 'height', { configurable: true, get: () => 450 })
    viewport.dispatchEvent(new Event('resize'))
  })
  const bottomOf = async (locator: typeof send) => {
    const box = await locator.boundingBox()
    return (box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY)
  }
  await expect.poll(() => bottomOf(send)).toBeLessThanOrEqual(450)
  await expect.poll(() => bottomOf(entries.last())).toBeLessThanOrEqual(450)
  await expect(entries.last()).toBeInViewport({ ratio: 1 })
})

test('LAYOUT-4 a phone in landscape shows the newest message and the composer', async ({ page }) => {
  await page.setViewportSize({ width: 740, height: 360 })
  await enterRoom(page)
  await sendMessage(page, 'hello')
  const { entries, message, send } = room(page)
  for (const part of [entries.last(), message, send]) await expect(part).toBeInViewport({ ratio: 1 })
  expect(await layoutProblems(page)).toEqual([])
})

test('LAYOUT-5 text at 200 % size or with wide spacing is neither clipped nor covered', async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 900 })
  await enterRoom(page)
  await sendMessage(page, 'hello')
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  expect(await layoutProblems(page)).toEqual([])
  await page.evaluate(() => {
    document.documentElement.style.fontSize = ''
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    )
    document.adoptedStyleSheets = [sheet]
  })
  expect(await layoutProblems(page)).toEqual([])
})

/** Returns a function that reads the cumulative layout shift since the page was opened. */
async function measureLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shift = { sum: 0 }
    Object.assign(window, { shift })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) shift.sum += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => (window as unknown as { shift: { sum: number } }).shift.sum)
}

const phoneAndDesktop = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]

test('LAYOUT-6 no layout shift occurs while the room connects', async ({ page }) => {
  const layoutShift = await measureLayoutShift(page)
  for (const size of phoneAndDesktop) {
    await page.setViewportSize(size)
    await enterRoom(page)
    await expect(room(page).onlineTitle).not.toHaveText(/\[0\]/)
    expect(await layoutShift()).toBeLessThanOrEqual(0.001)
  }
})

test('LAYOUT-6 no layout shift occurs while a page arrives in pieces', async ({ page, application }) => {
  const layoutShift = await measureLayoutShift(page)
  const slow = await serveInPieces(application.url)
  for (const size of phoneAndDesktop) {
    await page.setViewportSize(size)
    for (const path of [...Object.values(routes), '/nowhere']) {
      await page.goto(slow.url + path)
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
      expect(await layoutShift(), `${path} at ${size.width}`).toBeLessThanOrEqual(0.001)
    }
  }
  await slow.close()
})

test('LAYOUT-8 the notice about a lost connection covers neither the search nor its button, also with large text', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await sendMessage(page, 'hello')
  const search = page.getByRole('button', { name: 'Search messages' })
  await expect(search).toBeVisible()
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => layoutProblems(page)).toEqual([])
    await search.click({ trial: true })
  }
  await search.click()
  const searchBox = page.getByRole('searchbox')
  await searchBox.fill('hello')
  await expect(page.getByText('1 of 1')).toBeVisible()
  for (const { width, text } of [
    { width: 1280, text: 100 },
    { width: 1280, text: 200 },
    { width: 390, text: 100 },
    { width: 390, text: 150 },
    { width: 390, text: 200 },
    { width: 320, text: 200 },
  ]) {
    await page.setViewportSize({ width, height: 800 })
    await setTextSize(page, text)
    await waitForStableLayout(page)
    await searchBox.click()
    await expect(searchBox).toBeInViewport({ ratio: 0.95 })
    expect((await searchBox.boundingBox())?.width, `at ${width} px with ${text} %`).toBeGreaterThanOrEqual(120)
    for (const name of ['Previous match', 'Next match', 'Close the search', 'Try now']) {
      const button = page.getByRole('button', { name })
      // The element `.sheet` clips 1 px of the search buttons at its upper edge.
      await expect(button).toBeInViewport({ ratio: 0.95 })
      await button.click({ trial: true })
    }
  }
})

test('LAYOUT-8 the notice about a lost connection shifts no element and covers no title', async ({
  page,
  application,
}) => {
  const connection = await interceptConnection(page)
  await enterRoomWithMessages(page, application.url, 30)
  const { list, entries, send } = room(page)
  const boxes = async () => [await list.boundingBox(), await entries.last().boundingBox(), await send.boundingBox()]
  const noticeSizes = [
    { width: 320, height: 568 },
    { width: 390, height: 844 },
    { width: 390, height: 330 },
    { width: 768, height: 1024 },
    { width: 1280, height: 800 },
  ]
  const before = new Map<number, Awaited<ReturnType<typeof boxes>>>()
  for (const [index, size] of noticeSizes.entries()) {
    await page.setViewportSize(size)
    await expect(entries.last()).toBeInViewport({ ratio: 1 })
    await waitForStableLayout(page)
    before.set(index, await boxes())
  }
  await connection.block()
  const notice = page.getByText('The connection is lost.')
  await expect(notice).toBeVisible()
  for (const [index, size] of noticeSizes.entries()) {
    await page.setViewportSize(size)
    await expect(entries.last()).toBeInViewport({ ratio: 1 })
    await waitForStableLayout(page)
    expect({ size, boxes: await boxes() }).toEqual({ size, boxes: before.get(index) })
    const title = await page.getByRole('heading', { name: 'Messeges' }).evaluate((heading) => {
      const range = document.createRange()
      range.selectNodeContents(heading)
      return range.getBoundingClientRect().right
    })
    expect((await notice.boundingBox())?.x ?? 0).toBeGreaterThan(title)
    await expect(page.getByRole('button', { name: 'Try now' })).toBeInViewport({ ratio: 1 })
  }
})
