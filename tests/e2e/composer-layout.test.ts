import type { Page } from '@playwright/test'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { sizeViolations, violationsWithoutContrast } from './axe.ts'
import {
  waitForStableLayout,
  type Combination,
  composerProblems,
  needsAllAxeRules,
  setTextSize,
  sizes,
  sizesAndTextSizes,
  textSizes,
  unreachableElements,
} from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoomWithMessages, expectAtEnd } from './message-list.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, sendEach, room, sendMessage } from '../support/room-page.ts'

/** Sizes where an additional line matters most: low screens, the most common phone and the first size with a sidebar. */
const tightSizes = sizes
  .filter(({ width, height }) => height < 400 || width === 390 || width === 960)
  .flatMap((size) => textSizes.map((text) => ({ size, text })))

/** Options that mark the tests that check all combinations with `E2E_MATRIX=all`. */
const matrix = { tag: '@matrix' }

/** Sets the size and the text size of the open page, once for each combination, and returns the problems that `check` finds. */
async function problemsAt(
  combinations: Combination[],
  page: Page,
  check: (page: Page, combination: Combination) => Promise<string[]> = composerAndElementProblems,
): Promise<string[]> {
  const found: string[] = []
  for (const combination of combinations) {
    const { size, text } = combination
    await page.setViewportSize(size)
    await setTextSize(page, text)
    const problems = await check(page, combination)
    found.push(...problems.map((problem) => `${size.width}×${size.height} at ${text} %: ${problem}`))
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await setTextSize(page, 100)
  return found
}

const composerAndElementProblems = async (page: Page) => [
  ...(await unreachableElements(page)),
  ...(await composerProblems(page)),
]

test(
  'LAYOUT-7 at every size and text size the message field is wide enough and in view, and every element is reachable',
  matrix,
  async ({ page, application }) => {
    // The test is slow, because it lays out 36 combinations of size, text size and login, or all 72 with
    // `E2E_MATRIX=all`.
    test.slow()
    collectAlerts(page)
    const account = await registerAccount(application.url)
    await enterRoomWithMessages(page, application.url, 8)
    expect(await problemsAt(sizesAndTextSizes(false), page)).toEqual([])
    await logIn(page, account)
    await expect(room(page).message).toBeVisible()
    expect(await problemsAt(sizesAndTextSizes(true), page)).toEqual([])
  },
)

test('LAYOUT-7 with the list scrolled up, at every size the list shows two lines and both scroll buttons fit', async ({
  page,
  application,
}) => {
  test.slow()
  await enterRoomWithMessages(page, application.url, 40)
  await room(page).list.evaluate((list) => (list.scrollTop = 0))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  const ann = await connectClient(application.url, 'ann')
  await ann.sendAll(numberedTexts(10, 'unread'))
  ann.disconnect()
  await expect(page.getByRole('button', { name: 'First unread (10)' })).toBeVisible()
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const text of textSizes) {
      await setTextSize(page, text)
      await expect.poll(() => scrolledUpProblems(page), `${size.width}×${size.height} at ${text} %`).toEqual([])
    }
  }
})

test('LAYOUT-5 login and registration fit on the narrowest phone at 200 % text size, also without a connection', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 568 })
  const connection = await interceptConnection(page)
  for (const label of ['Live', 'Reconnecting']) {
    connection.set({ isBlocked: label === 'Reconnecting' })
    for (const path of ['/login', '/register']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('banner').getByRole('status')).toHaveText(label)
      await setTextSize(page, 200)
      expect([path, label, ...(await unreachableElements(page))]).toEqual([path, label])
    }
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

/** Enters the room, loses the connection, queues three messages and types a fourth message. */
async function queueWithoutConnection(page: Page) {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await sendMessage(page, 'hello')
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await sendEach(page, 'one', 'two', 'three')
  await room(page).message.fill('four')
}

test('LAYOUT-7 with a lost connection and three queued messages above it, the message field keeps its size', async ({
  page,
}) => {
  await queueWithoutConnection(page)
  await expect(room(page).outbox).toHaveCount(3)
  expect(await problemsAt(tightSizes, page)).toEqual([])
  // The queue scrolls. On a phone it is at most 9rem high.
  await page.setViewportSize({ width: 390, height: 844 })
  const queue = page.getByRole('list', { name: 'Not sent yet' }).locator('..')
  expect((await queue.boundingBox())?.height).toBeLessThanOrEqual(9 * 16)
})

test('LAYOUT-3 on a phone with text at 200 %, the list stays readable while a message waits and the user writes', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await sendEach(page, ...numberedTexts(8))
  await expect(room(page).entries).toHaveCount(8)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await sendEach(page, 'one', 'two')
  await setTextSize(page, 200)
  await room(page).message.focus()
  // The row appears with a delay.
  await expect.poll(async () => (await room(page).outbox.boundingBox())?.height).toBeGreaterThan(64)
  await waitForStableLayout(page)
  const visiblePx = await room(page).list.evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect()
    return Math.min(bottom, window.innerHeight) - Math.max(top, 0)
  })
  // Two lines of text are 96 px high.
  expect(visiblePx).toBeGreaterThanOrEqual(96)
})

test('LAYOUT-5 at 200 % text the buttons of a message that was taken back fit on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await queueWithoutConnection(page)
  await room(page).outbox.first().getByRole('button', { name: 'Take back' }).click()
  await expect(room(page).outbox.first()).toHaveAttribute('data-state', 'held')
  await setTextSize(page, 200)
  const list = page.getByRole('list', { name: 'Not sent yet' }).locator('..')
  await expect.poll(() => list.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
})

test('LAYOUT-7 on the smallest screen a button above the message field does not move while it is pressed', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 256 })
  await queueWithoutConnection(page)
  await room(page).message.blur()
  // Rows appear with a delay and move earlier rows up.
  await page
    .locator('.outbox')
    .evaluate((box) => Promise.all(box.getAnimations({ subtree: true }).map(({ finished }) => finished)))
  const button = room(page).outbox.first().getByRole('button', { name: 'Take back' })
  // Scroll the button to the lower edge of the screen, so that the rest of the composer is out of view.
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

test('LAYOUT-7 above an on-screen keyboard a tap reaches its target, although the composer loses the focus', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 450 }, hasTouch: true, isMobile: true })
  await enterRoomWithMessages(page, application.url, 40)
  const { list, message, customName, send } = room(page)
  const ann = await connectClient(application.url, 'ann')
  const startWriting = async () => {
    await message.focus()
    await waitForStableLayout(page)
  }
  /** Scrolls up, receives a message, and focuses the message field again. */
  const receiveUnread = async (text: string) => {
    await list.evaluate((element) => (element.scrollTop = 0))
    await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
    await ann.send(text)
    await expect(page.getByRole('button', { name: 'First unread (1)' })).toBeVisible()
    await startWriting()
  }

  await receiveUnread('news')
  await page.getByRole('button', { name: 'First unread (1)' }).tap()
  await expect(page.getByText('news')).toBeInViewport()
  await receiveUnread(`see ${application.url}/users#tapped`)
  await page.getByRole('button', { name: 'Latest' }).tap()
  await expectAtEnd(page)

  await startWriting()
  const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: /#tapped$/ }).tap()])
  await tab.close()

  await startWriting()
  await customName.tap()
  await expect(customName).toBeFocused()
  await customName.fill('bob')
  await send.tap()
  await expect(message).toBeFocused()
  ann.disconnect()
})

test(
  'A11Y-2 axe reports no violation at any size and text size, logged in or not',
  matrix,
  async ({ page, application }) => {
    // The test is slow, because axe analyses 36 combinations of size, text size and login, or all 72.
    test.slow()
    collectAlerts(page)
    const account = await registerAccount(application.url)
    await enterRoomWithMessages(page, application.url, 8)
    const stableViolations = async (_page: Page, combination: Combination) => {
      await waitForStableLayout(page)
      const found = await sizeViolations(page)
      return needsAllAxeRules(combination) ? [...found, ...(await violationsWithoutContrast(page))] : found
    }
    expect(await problemsAt(sizesAndTextSizes(false), page, stableViolations)).toEqual([])
    await logIn(page, account)
    await expect(room(page).message).toBeVisible()
    expect(await problemsAt(sizesAndTextSizes(true), page, stableViolations)).toEqual([])
  },
)

test('LAYOUT-7 an on-screen keyboard that covers the page without resizing it leaves the message field in view', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoomWithMessages(page, application.url, 12)
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
  application,
}) => {
  await enterRoomWithMessages(page, application.url, 8)
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

test('LAYOUT-3 above an on-screen keyboard the name takes one line while the user writes, and the list keeps its share of height', async ({
  page,
  application,
}) => {
  await page.setViewportSize({ width: 390, height: 450 })
  await enterRoomWithMessages(page, application.url, 12)
  const { message, customName, entries, list } = room(page)
  for (const { text, share, entryRatio } of [
    { text: 100, share: 0.4, entryRatio: 1 },
    // At this text size, an entry is taller than the list.
    { text: 200, share: 0.25, entryRatio: 0.4 },
  ]) {
    await setTextSize(page, text)
    expect({ text, problems: await composerProblems(page) }).toEqual({ text, problems: [] })
    const shownPx = await list.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return Math.min(bottom, window.innerHeight) - Math.max(top, 0)
    })
    expect(shownPx / 450, `at ${text} %`).toBeGreaterThanOrEqual(share)
    await expect(entries.last()).toBeInViewport({ ratio: entryRatio })
    // The name stays visible, and the user can change it.
    await expect(customName).toBeInViewport({ ratio: 1 })
    await expect(customName).toHaveAccessibleName('Set custom username')
    await customName.click()
    await expect(customName).toBeFocused()
    await page.keyboard.type('ann')
    await expect(page.getByText('Set custom username')).toBeVisible()
    await message.focus()
    await expect(customName).toHaveValue('ann')
    await customName.fill('anonymous')
  }
})

test('LAYOUT-7 on a small screen with an on-screen keyboard a third of the visible height shows messages', async ({
  page,
  application,
}) => {
  await enterRoomWithMessages(page, application.url, 8)
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
