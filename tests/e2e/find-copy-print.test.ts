import type { Page } from '@playwright/test'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { violations } from './axe.ts'
import { copyAll } from './message-list.ts'
import { enterRoom, room } from '../support/room-page.ts'

/** Message counts below and above the limit from which the list is virtual. */
const plain = 600
const virtual = 2_500
/** Upper limit of the message elements in the document. The longest plain list has fewer. */
const maxMessageNodes = 2_300

async function fill(page: Page, url: string, count: number) {
  const ann = await connectClient(url, 'ann')
  for (let sent = 0; sent < count; sent += 500) {
    await ann.sendAll(numberedTexts(Math.min(500, count - sent), `part ${sent / 500} message`))
  }
  ann.disconnect()
  const last = ((count - 1) % 500) + 1
  await expect(room(page).entries.last()).toHaveText(
    new RegExp(`part ${Math.floor((count - 1) / 500)} message ${last}$`),
  )
  // The list renders the newest messages first, and the other messages frame by frame or after a flood has ended.
  await expect(page.locator('.message-scroller > ol[data-truncated]')).toHaveCount(0)
  if (count === plain) await expect(room(page).entries).toHaveCount(plain)
}

const find = (page: Page, text: string) =>
  page.evaluate((wanted) => {
    document.getSelection()?.removeAllRanges()
    return (window as unknown as { find: (text: string, ...flags: boolean[]) => boolean }).find(
      wanted,
      false,
      false,
      true,
    )
  }, text)

const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0

async function expectFindInPage(page: Page) {
  for (const text of ['part 0 message 7', 'part 0 message 250', 'part 0 message 499', 'part 1 message 100']) {
    expect(await find(page, text)).toBe(true)
    expect(await page.evaluate(() => document.getSelection()?.toString())).toBe(text)
  }
  expect(await find(page, 'part 0 message 501')).toBe(false)
}

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search messages' })
const searchStatus = (page: Page) => page.getByRole('search').getByRole('status')

async function expectSearch(page: Page) {
  const { message, entries } = room(page)
  const match = entries.and(page.locator('[data-match]'))
  const highlighted = () =>
    page.evaluate(() =>
      [...(CSS.highlights.get('search-match') ?? [])].map((range) => (range instanceof Range ? range.toString() : '')),
    )
  await message.fill('a draft')
  await page.keyboard.press('Control+f')
  await expect(searchField(page)).toBeFocused()
  await page.keyboard.type('ANN (not loggedin) : part 0  message 77')
  await expect(searchStatus(page)).toHaveText('1 of 1')
  await expect(match).toHaveText(/ : part 0 message 77$/)
  await expect(match).toBeInViewport({ ratio: 1 })
  await expect.poll(highlighted).toEqual(['ann (not loggedin) : part 0 message 77'])

  await searchField(page).fill('message 499')
  await expect(searchStatus(page)).toHaveText('1 of 5')
  for (const [key, part, status] of [
    ['Enter', 1, '2 of 5'],
    ['Shift+Enter', 0, '1 of 5'],
    ['Shift+Enter', 4, '5 of 5'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(searchStatus(page)).toHaveText(status)
    await expect(match).toHaveText(new RegExp(` : part ${part} message 499$`))
    await expect(match).toBeInViewport({ ratio: 1 })
    await expect(searchField(page)).toBeFocused()
  }
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(searchStatus(page)).toHaveText('1 of 5')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('search')).toHaveCount(0)
  await expect(match).toHaveCount(0)
  expect(await highlighted()).toEqual([])
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('a draft')
}

async function expectCopy(page: Page, count: number) {
  expect(await room(page).entries.count()).toBeLessThanOrEqual(maxMessageNodes)
  const lines = (await copyAll(page)).split('\n').map((line) => line.trim())
  const messages = lines.filter((line) => line.includes('ann (not loggedin) : part'))
  expect(messages).toHaveLength(count)
  expect(messages[0]).toMatch(/^\[.+\] ann \(not loggedin\) : part 0 message 1$/)
  expect(messages[count / 2]).toMatch(new RegExp(`message ${((count / 2) % 500) + 1}$`))
  expect(new Set(messages.map((line) => line.replace(/^\[[^\]]*\]/, ''))).size).toBe(count)
  expect(lines).toContain('Messeges')
  expect(lines.indexOf('Messeges')).toBeLessThan(lines.indexOf(messages[0] ?? ''))
  expect(lines.at(-1)).not.toBe(messages.at(-1))
}

async function expectPrint(page: Page, count: number) {
  await room(page).list.evaluate((list) => list.scrollTo(0, list.scrollHeight / 2))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  await waitForStableLayout(page)
  const scrollTop = await room(page).list.evaluate((list) => list.scrollTop)

  await page.evaluate(() =>
    window.addEventListener('beforeprint', () =>
      Object.assign(window, {
        printed: document.querySelectorAll('.message-scroller > ol:last-child > li').length,
        printedElements: document.querySelectorAll('.message-scroller > ol:last-child *').length,
      }),
    ),
  )
  const pdf = await page.pdf({ format: 'A4' })
  expect(await page.evaluate(() => Reflect.get(window, 'printed'))).toBe(count)
  // Chromium blocks the page for a time that grows with the number of elements.
  expect(await page.evaluate(() => Reflect.get(window, 'printedElements'))).toBe(count)
  // A page of the PDF holds about sixty lines.
  expect(pagesOf(pdf)).toBeGreaterThanOrEqual(count / 60)
  await expect.poll(() => page.locator('li').count()).toBeLessThanOrEqual(maxMessageNodes)
  await expect.poll(() => room(page).list.evaluate((list) => list.scrollTop)).toBeCloseTo(scrollTop, -2)
}

test(`READING-7 all ${plain} messages are found by find in page, copied with the text around them, and printed`, async ({
  page,
  application,
}) => {
  await enterRoom(page)
  await fill(page, application.url, plain)
  await expectFindInPage(page)
  await expectCopy(page, plain)
  await expectPrint(page, plain)
})

test(`READING-7 READING-12 all ${virtual} messages are found by the search of Control+F, copied with the text around them, and printed`, async ({
  page,
  application,
}) => {
  await enterRoom(page)
  await fill(page, application.url, virtual)
  await expectSearch(page)
  await expectCopy(page, virtual)
  await expectPrint(page, virtual)
})

test('READING-12 the search button opens the search in a short list, and new messages are found', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  await fill(page, application.url, 60)
  const button = page.getByRole('button', { name: 'Search messages' })
  await button.click()
  await page.keyboard.type('message 1')
  await expect(searchStatus(page)).toHaveText(/ of 11$/)
  const ann = await connectClient(application.url, 'ann')
  await ann.send('message 1 again')
  ann.disconnect()
  await expect(searchStatus(page)).toHaveText(/ of 12$/)
  expect(await violations(page)).toEqual([])
  await page.keyboard.type(' to nobody')
  await expect(searchStatus(page)).toHaveText('No match')
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
})

test('READING-12 on a phone the text of the match is in view, also when the keyboard opens', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send(`${'many words '.repeat(100)} Café`)
  await ann.sendAll(numberedTexts(60))
  ann.disconnect()
  await expect(room(page).entries).toHaveCount(61)
  await page.getByRole('button', { name: 'Search messages' }).tap()
  const isMatchInView = () =>
    room(page).list.evaluate((list) => {
      const [match] = CSS.highlights.get('search-match') ?? []
      if (!(match instanceof Range)) return false
      const { top, bottom } = match.getBoundingClientRect()
      const view = list.getBoundingClientRect()
      return top >= view.top && bottom <= view.bottom
    })
  for (const text of ['message 31', 'cafe']) {
    await page.setViewportSize({ width: 390, height: 844 })
    await searchField(page).fill(text)
    await expect(searchStatus(page)).toHaveText('1 of 1')
    await expect.poll(isMatchInView).toBe(true)
    await page.setViewportSize({ width: 390, height: 450 })
    await waitForStableLayout(page)
    await expect.poll(isMatchInView).toBe(true)
  }
})

test('SHOWN-4 a part of an entry that is copied or dragged is one line', async ({ page, application }) => {
  await enterRoom(page)
  const mallory = await connectClient(application.url, 'mallory')
  await mallory.send('well ok\u2028[1/2/2026, 3:04:05 AM] bob : I quit')
  await mallory.send('next')
  mallory.disconnect()
  const { entries } = room(page)
  await expect(entries).toHaveCount(2)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await entries.first().evaluate((entry) => {
    const texts = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()?.nodeValue?.startsWith('well') !== true);
    document.getSelection()?.setBaseAndExtent(entry.nextElementSibling ?? entry, 0, texts.currentNode, 'well '.length)
  })
  await page.keyboard.press('ControlOrMeta+c')
  const line = 'ok [1/2/2026, 3:04:05 AM] bob : I quit'
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line)
  const dragged = await entries.first().evaluate((entry) => {
    const dataTransfer = new DataTransfer()
    const text = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT).nextNode()
    text?.dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer }))
    return dataTransfer.getData('text/plain')
  })
  expect(dragged).toBe(line)
  // The selection keeps its direction.
  expect(await page.evaluate(() => document.getSelection()?.focusOffset)).toBe('well '.length)
})

test('READING-7 all of 60 messages are printed from a low screen', async ({ page, application }) => {
  await enterRoom(page)
  await fill(page, application.url, 60)
  await page.emulateMedia({ media: 'print' })
  const { clipped, entries } = await page.evaluate(() => {
    const items = [...document.querySelectorAll('.message-scroller > ol > li')]
    const isClipped = (item: Element) => {
      const { bottom } = item.getBoundingClientRect()
      for (let at = item.parentElement; at !== null && at !== document.body; at = at.parentElement) {
        if (getComputedStyle(at).overflowY !== 'visible' && bottom > at.getBoundingClientRect().bottom + 1) return true
      }
      return bottom > document.documentElement.scrollHeight
    }
    return { clipped: items.filter(isClipped).length, entries: items.length }
  })
  expect(entries).toBe(60)
  expect(clipped).toBe(0)
})
