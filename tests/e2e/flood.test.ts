import type { Page } from '@playwright/test'
import { join, numbered } from '../support/crowd.ts'
import { expect, test } from './fixtures.ts'
import { atEnd, copyAll, inView, noLimits } from './message-list.ts'
import { enterRoom, room } from '../support/room-page.ts'

const drawing = (page: Page, name: string) => expect(room(page).list).toHaveAttribute('data-renderer', name)

/** However slow the machine: a hundred messages come in each tenth of a second of the page's. */
async function flood(page: Page, url: string, filler = '') {
  let heard = 0
  let said = 0
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => void (heard += String(payload).includes(' of the flood') ? 1 : 0)),
  )
  await page.clock.install()
  await enterRoom(page, url)
  await page.clock.pauseAt(Date.now() + 5_000)
  const ann = await join(url, 'ann')
  async function goOn(tenths: number) {
    for (let tenth = 0; tenth < tenths; tenth++) {
      await ann.sayAll(numbered(100, `${filler}${(said += 100) / 100} of the flood`))
      await expect.poll(() => heard).toBe(said)
      await page.clock.runFor(100)
    }
  }
  /** Messages that the page receives and does not publish yet: its clock stands still. */
  async function receiveOnly(count: number) {
    await ann.sayAll(numbered(count, `${(said += count) / 100} of the flood`))
    await expect.poll(() => heard).toBe(said)
  }
  /** What came last is drawn when the rest after what came before is over. */
  async function drawnToItsEnd() {
    const last = async () => {
      await page.clock.runFor(50)
      return room(page).entries.last().textContent()
    }
    await expect.poll(last).toMatch(new RegExp(`: ${said / 100} of the flood 100$`))
    await drawing(page, 'newest')
  }
  return { goOn, receiveOnly, drawnToItsEnd, leave: ann.leave }
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.split(' : ')[1])

test('READING-4 in a flood only the newest are drawn, and all that the list may hold when it is over', async ({
  page,
  ownServer,
}) => {
  const ann = await flood(page, (await ownServer(noLimits)).url)
  await ann.goOn(15)
  await ann.drawnToItsEnd()
  const { entries } = room(page)
  expect(await entries.count()).toBeLessThanOrEqual(50)
  expect((await inView(page)).at(-1)).toMatch(/15 of the flood 100$/)
  await atEnd(page)

  const drawnLater = async () => {
    await page.clock.runFor(500)
    return entries.count()
  }
  await expect.poll(drawnLater, { timeout: 150_000 }).toBe(1_500)
  await drawing(page, 'plain')
  await atEnd(page)
  ann.leave()
})

test('READING-4 in a flood of the longest messages no more of them is drawn than a frame can bear', async ({
  page,
  ownServer,
}) => {
  const ann = await flood(page, (await ownServer(noLimits)).url, 'long '.repeat(790))
  await ann.goOn(15)
  await drawing(page, 'newest')
  expect(await room(page).entries.count()).toBeLessThanOrEqual(3)
  ann.leave()
})

test('READING-4 a list in a flood that is drawn again before the next publication stays as short', async ({
  page,
  ownServer,
}) => {
  const ann = await flood(page, (await ownServer(noLimits)).url)
  await ann.goOn(15)
  await ann.drawnToItsEnd()
  const { entries } = room(page)
  const drawn = await entries.count()
  const last = await entries.last().textContent()
  await ann.receiveOnly(300)
  // A window of another height is drawn at once, with another number of entries.
  await page.setViewportSize({ width: 1280, height: 500 })
  await expect.poll(() => entries.count()).not.toBe(drawn)
  expect(await entries.count()).toBeLessThan(drawn)
  expect(await entries.last().textContent()).toBe(last)
  await drawing(page, 'newest')
  ann.leave()
})

// Plain, and virtualised.
for (const tenths of [15, 22]) {
  test(`READING-2 whoever scrolls up in a flood of ${tenths}00 stays with what they see, and reads on from there`, async ({
    page,
    ownServer,
  }) => {
    const ann = await flood(page, (await ownServer(noLimits)).url)
    await ann.goOn(tenths)
    await ann.drawnToItsEnd()
    const { list, entries } = room(page)
    await list.hover()
    await page.mouse.wheel(0, -100)
    await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
    await page.clock.runFor(500)
    const place = (await inView(page)).at(-2) ?? ''
    expect(place).toMatch(new RegExp(`: ${tenths} of the flood \\d+$`))
    await ann.goOn(2)
    await page.clock.runFor(500)
    await drawing(page, tenths > 20 ? 'virtual' : 'plain')
    expect(await inView(page)).toContain(place)

    await list.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => focused(page)).toBe('1 of the flood 1')
    await expect(entries.first()).toBeInViewport()
    ann.leave()
  })
}

test('READING-6 an entry that has the focus keeps it in a flood, and when it is over', async ({ page, ownServer }) => {
  const ann = await flood(page, (await ownServer(noLimits)).url)
  await ann.goOn(1)
  await page.clock.runFor(1_000)
  await drawing(page, 'plain')
  await room(page).list.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focused(page)).toBe('1 of the flood 100')
  await ann.goOn(22)
  await ann.drawnToItsEnd()
  expect(await focused(page)).toBe('1 of the flood 100')
  await page.clock.runFor(5_000)
  await drawing(page, 'virtual')
  expect(await focused(page)).toBe('1 of the flood 100')
  ann.leave()
})

test('READING-7 in a flood all messages are copied', async ({ page, ownServer }) => {
  const ann = await flood(page, (await ownServer(noLimits)).url)
  await ann.goOn(15)
  await ann.drawnToItsEnd()
  const lines = (await copyAll(page)).split('\n').filter((line) => line.includes(' of the flood '))
  expect(lines).toHaveLength(1_500)
  await drawing(page, 'newest')
  ann.leave()
})
