import type { Page } from '@playwright/test'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { expect, test } from './fixtures.ts'
import { expectAtEnd, copyAll, textsInView } from './message-list.ts'
import { enterRoom, room } from '../support/room-page.ts'

const expectRenderer = (page: Page, name: string) => expect(room(page).list).toHaveAttribute('data-renderer', name)

/** Opens the room with a controlled clock, so that 100 messages arrive per 100 ms of page time on any machine. */
async function startFlood(page: Page, url: string, filler = '') {
  let received = 0
  let sent = 0
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => void (received += String(payload).includes(' of the flood') ? 1 : 0)),
  )
  await page.clock.install()
  await enterRoom(page, url)
  await page.clock.pauseAt(Date.now() + 5_000)
  const ann = await connectClient(url, 'ann')
  async function run(tenthsOfSecond: number) {
    for (let tenth = 0; tenth < tenthsOfSecond; tenth++) {
      await ann.sendAll(numberedTexts(100, `${filler}${(sent += 100) / 100} of the flood`))
      await expect.poll(() => received).toBe(sent)
      await page.clock.runFor(100)
    }
  }
  /** Sends messages that the page receives but does not publish, because its clock is paused. */
  async function receiveOnly(count: number) {
    await ann.sendAll(numberedTexts(count, `${(sent += count) / 100} of the flood`))
    await expect.poll(() => received).toBe(sent)
  }
  /** Advances the clock until the last message is rendered. */
  async function renderLast() {
    const last = async () => {
      await page.clock.runFor(50)
      return room(page).entries.last().textContent()
    }
    await expect.poll(last).toMatch(new RegExp(`: ${sent / 100} of the flood 100$`))
    await expectRenderer(page, 'newest')
  }
  return { run, receiveOnly, renderLast, leave: ann.disconnect }
}

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.split(' : ')[1])

test('READING-4 after a burst the newest messages are rendered before the older ones', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.sendAll(numberedTexts(40, 'before'))
  await expect(room(page).entries).toHaveCount(40)
  let bursts = 0
  // On a busy machine, a burst may arrive in parts, which the page renders one by one. The test then sends another burst.
  const isMiddleRenderedWithLast = async () => {
    const name = `burst ${++bursts}:`
    await page.evaluate((prefix) => {
      delete document.body.dataset['middle']
      const whenLastIsRendered = new MutationObserver(() => {
        const texts = [...document.querySelectorAll('.message-scroller li')].map((item) => item.textContent ?? '')
        if (!texts.at(-1)?.endsWith(`${prefix} 300`)) return
        document.body.dataset['middle'] = String(texts.some((text) => text.endsWith(`${prefix} 150`)))
        whenLastIsRendered.disconnect()
      })
      whenLastIsRendered.observe(document.body, { childList: true, subtree: true })
    }, name)
    await ann.sendAll(numberedTexts(300, name))
    await expect(page.locator('body')).toHaveAttribute('data-middle', /true|false/)
    await expectAtEnd(page)
    await expect(room(page).entries).toHaveCount(40 + 300 * bursts)
    await expectAtEnd(page)
    return page.locator('body').getAttribute('data-middle')
  }
  await expect.poll(isMiddleRenderedWithLast).toBe('false')
  ann.disconnect()
})

test('READING-4 READING-7 in a flood the list renders only the newest messages, a copy includes all messages, and after the flood the list renders all messages', async ({
  page,
  application,
}) => {
  const flood = await startFlood(page, application.url)
  await flood.run(8)
  await flood.renderLast()
  const { entries } = room(page)
  const count = await entries.count()
  expect(count).toBeLessThanOrEqual(50)
  expect((await textsInView(page)).at(-1)).toMatch(/8 of the flood 100$/)
  await expectAtEnd(page)

  // After the viewport height changes, the page renders another number of entries, and only published ones.
  const last = await entries.last().textContent()
  await flood.receiveOnly(300)
  await page.setViewportSize({ width: 1280, height: 500 })
  await expect.poll(() => entries.count()).not.toBe(count)
  expect(await entries.count()).toBeLessThan(count)
  expect(await entries.last().textContent()).toBe(last)
  await expectRenderer(page, 'newest')

  const lines = (await copyAll(page)).split('\n').filter((line) => line.includes(' of the flood '))
  expect(lines).toHaveLength(800)
  await expectRenderer(page, 'newest')

  const countLater = async () => {
    await page.clock.runFor(500)
    return entries.count()
  }
  await expect.poll(countLater, { timeout: 150_000 }).toBe(1_100)
  await expectRenderer(page, 'plain')
  await expectAtEnd(page)
  flood.leave()
})

test('READING-4 in a flood of the longest messages the list renders at most three of them', async ({
  page,
  application,
}) => {
  const flood = await startFlood(page, application.url, 'long '.repeat(790))
  await flood.run(8)
  await expectRenderer(page, 'newest')
  expect(await room(page).entries.count()).toBeLessThanOrEqual(3)
  flood.leave()
})

// The first count gives a plain list, the second count a virtual list.
for (const tenths of [8, 22]) {
  test(`READING-2 scrolling up in a flood of ${tenths}00 messages keeps the entries in view, and reading continues from there`, async ({
    page,
    application,
  }) => {
    const flood = await startFlood(page, application.url)
    await flood.run(tenths)
    await flood.renderLast()
    const { list, entries } = room(page)
    await list.hover()
    await page.mouse.wheel(0, -100)
    await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
    await page.clock.runFor(500)
    const lastInView = (await textsInView(page)).at(-2) ?? ''
    expect(lastInView).toMatch(new RegExp(`: ${tenths} of the flood \\d+$`))
    await flood.run(2)
    await page.clock.runFor(500)
    await expectRenderer(page, tenths > 20 ? 'virtual' : 'plain')
    expect(await textsInView(page)).toContain(lastInView)

    await list.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => focusedText(page)).toBe('1 of the flood 1')
    await expect(entries.first()).toBeInViewport()
    flood.leave()
  })
}

test('READING-6 a focused entry keeps the focus during and after a flood', async ({ page, application }) => {
  const flood = await startFlood(page, application.url)
  await flood.run(1)
  await page.clock.runFor(1_000)
  await expectRenderer(page, 'plain')
  await room(page).list.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focusedText(page)).toBe('1 of the flood 100')
  const focused = page.locator(':focus')
  const topPx = (await focused.boundingBox())?.y ?? -1
  await flood.run(22)
  expect(await focusedText(page)).toBe('1 of the flood 100')
  await page.clock.runFor(5_000)
  await expectRenderer(page, 'virtual')
  expect(await focusedText(page)).toBe('1 of the flood 100')
  expect(Math.abs(((await focused.boundingBox())?.y ?? -1) - topPx)).toBeLessThanOrEqual(1)
  await room(page).message.focus()
  await page.clock.runFor(1_000)
  await expect(room(page).entries.last()).toHaveText(/ : 23 of the flood 100$/)
  flood.leave()
})
