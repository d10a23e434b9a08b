import type { Page } from '@playwright/test'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { setTextSize, waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { setHidden } from './page-visibility.ts'
import { enterRoomWithMessages, expectAtEnd, distanceFromEnd, waitForFloodEnd, textsInView } from './message-list.ts'
import { enterRoom, entryPattern, room, sendMessage, waitUntilLive } from '../support/room-page.ts'

const firstUnread = (page: Page, count: number) =>
  page.getByRole('button', { name: `First unread (${count.toLocaleString('en-US')})`, exact: true })
const anyUnread = (page: Page) => page.getByRole('button', { name: /^First unread/ })
const latest = (page: Page) => page.getByRole('button', { name: 'Latest', exact: true })
const unreadCount = async (page: Page) => Number(/\d+/.exec((await anyUnread(page).textContent()) ?? '')?.[0])

/** Returns the texts of the messages that have the unread divider above them. */
const textsBelowDivider = (page: Page) =>
  room(page).entries.evaluateAll((items) =>
    items
      .filter((item) => getComputedStyle(item, '::before').content.includes('New messages'))
      .map((item) => item.textContent?.split(' : ')[1]),
  )

/**
 * Counts frames in which an `IntersectionObserver` reports a change, for two bands of the list: middle and bottom.
 * `shown`: all these frames, counted once per band. `blank`: the frames after which the band has no entry. The observer
 * reports exactly what a frame shows. A task, in contrast, can run after changes that are not painted yet.
 */
const recordFrames = (page: Page) =>
  page.evaluate(() => {
    const seen = { shown: 0, blank: 0 }
    Object.assign(window, { seen })
    // The observer ignores `visibility`, so move hidden entries out of view. A translation keeps their measured size.
    const style = new CSSStyleSheet()
    style.replaceSync('.message-scroller li[style*="visibility: hidden"] { translate: -200vw }')
    document.adoptedStyleSheets.push(style)
    const scroller = document.querySelector('.message-scroller')
    if (scroller === null) throw new Error('there is no list')
    const observers = ['-49% 0px', '-90% 0px -5%'].map((rootMargin) => {
      const inBand = new Set<Element>()
      return new IntersectionObserver(
        (entries) => {
          const inOrder = entries.toSorted((one, other) => one.time - other.time)
          for (const [index, { isIntersecting, target, time }] of inOrder.entries()) {
            if (isIntersecting) inBand.add(target)
            else inBand.delete(target)
            // The changes of one frame have the same time.
            if (inOrder[index + 1]?.time === time) continue
            seen.shown++
            if (inBand.size === 0) seen.blank++
          }
        },
        { root: scroller, rootMargin },
      )
    })
    const observeEntries = () => {
      for (const item of scroller.querySelectorAll('li')) for (const observer of observers) observer.observe(item)
    }
    new MutationObserver(observeEntries).observe(scroller, { childList: true, subtree: true })
    observeEntries()
  })

const frames = (page: Page) => page.evaluate(() => Reflect.get(window, 'seen') as { shown: number; blank: number })

/** Returns the texts of the messages that are completely in view, in order. */
const completeTexts = (page: Page) =>
  room(page).list.evaluate((list) => {
    const view = list.getBoundingClientRect()
    return [...list.querySelectorAll('li')].flatMap((item) => {
      const lines = [...item.querySelectorAll('.entry-body > *')].flatMap((part) => [...part.getClientRects()])
      const isComplete = lines.every(({ top, bottom }) => top >= view.top - 1 && bottom <= view.bottom + 1)
      return isComplete ? [item.textContent?.split(' : ')[1] ?? ''] : []
    })
  })

async function scrollUp(page: Page, byPx: number) {
  await waitForFloodEnd(page)
  await room(page).list.evaluate((list, px) => list.scrollBy(0, -px), byPx)
}

/**
 * Opens a page through a TCP proxy and fills it with messages. `miss` interrupts the connection of the page while
 * another client sends.
 */
async function openReturningPage(page: Page, url: string, count = 40) {
  const network = await createTcpProxy(Number(new URL(url).port))
  page.once('close', () => void network.close())
  await enterRoom(page, `http://127.0.0.1:${network.port}`)
  const ann = await connectClient(url, 'ann')
  // Send the messages in parts: a page that is too slow for a burst receives the rest as missed messages.
  for (let sent = 0; sent < count; sent += 300) {
    const part = Math.min(300, count - sent)
    await ann.sendAll(numberedTexts(part, `from ${sent}`))
    await expect(room(page).entries.last()).toHaveText(new RegExp(`from ${sent} ${part}$`))
  }
  await waitForFloodEnd(page)
  return {
    async miss(count: number, text = 'missed') {
      network.rejectConnections()
      await expect(page.getByText('The connection is lost.')).toBeVisible()
      await ann.sendAll(numberedTexts(count, text))
      network.resume()
      // The event makes the page reconnect without waiting for its back-off.
      await page.evaluate(() => window.dispatchEvent(new Event('online')))
      await waitUntilLive(page)
      await expect(room(page).entries.last()).toHaveText(new RegExp(`${text} ${count}$`))
      ann.disconnect()
    },
  }
}

// The first count gives a plain list, the second count a virtual list.
for (const count of [40, 2_100]) {
  test(`READING-2 with ${count} messages a user who returns after a lost connection finds the first missed message`, async ({
    page,
    application,
  }) => {
    const returning = await openReturningPage(page, application.url, count)
    await returning.miss(80)
    await expectAtEnd(page)
    await expect(anyUnread(page)).toBeVisible()
    await anyUnread(page).click()
    await expect.poll(() => textsBelowDivider(page)).toEqual(['missed 1'])
    await expect.poll(async () => (await textsInView(page))[0]).toMatch(/missed 1$/)
  })
}

test('READING-2 messages missed during a lost connection that all fit on the screen leave no button', async ({
  page,
  application,
}) => {
  const returning = await openReturningPage(page, application.url)
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('.reading-bar') !== null) document.body.dataset['barSeen'] = ''
    }).observe(document.body, { childList: true, subtree: true })
  })
  await returning.miss(3)
  expect(await textsBelowDivider(page)).toEqual(['missed 1'])
  await expect(page.locator('body[data-bar-seen]')).toHaveCount(0)
})

// The first count gives a plain list, the second count a virtual list. Each step starts and ends at the end of the list.
for (const count of [40, 2_100]) {
  test(`READING-2 READING-8 with ${count} messages a list keeps its position unless it is at its end or the user asks for its end`, async ({
    page,
    application,
  }) => {
    await enterRoom(page)
    const ann = await connectClient(application.url, 'ann')
    await ann.sendAll(numberedTexts(count))
    await expect(room(page).entries.last()).toHaveText(new RegExp(`message ${count}$`))
    await expectAtEnd(page)

    await test.step('READING-2 a list at its end stays at the end when messages arrive', async () => {
      await ann.send('a long one '.repeat(100))
      await expect(room(page).entries.last()).toContainText('a long one')
      await expectAtEnd(page)
      await page.setViewportSize({ width: 700, height: 500 })
      await expectAtEnd(page)
      await page.setViewportSize({ width: 1280, height: 800 })
      await expectAtEnd(page)
    })

    await test.step('READING-2 a list scrolled up keeps its position, and a button scrolls to the first unread message', async () => {
      await scrollUp(page, 500)
      await expect(latest(page)).toBeVisible()
      await waitForStableLayout(page)
      const before = await textsInView(page)

      await ann.sendAll(numberedTexts(1, 'news'))
      await expect(firstUnread(page, 1)).toBeVisible()
      await ann.sendAll(numberedTexts(59, 'more'))
      await expect(firstUnread(page, 60)).toBeVisible()
      await waitForStableLayout(page)
      expect(await textsInView(page)).toEqual(before)

      await firstUnread(page, 60).click()
      await expect.poll(async () => (await textsInView(page))[0]).toMatch(/ann \(not loggedin\) : news 1$/)
      // The button counts the messages that have not been in view.
      await expect.poll(async () => (await unreadCount(page)) + (await textsInView(page)).length).toBe(60)
      await room(page).list.hover()
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, 2_000)
          return distanceFromEnd(page)
        })
        .toBeLessThan(5)
      await expect(anyUnread(page)).toHaveCount(0)
      await expect(latest(page)).toHaveCount(0)
    })

    await test.step('READING-2 the Latest button scrolls to the end from any position', async () => {
      await scrollUp(page, 500)
      await expect(latest(page)).toBeVisible()
      await ann.sendAll(numberedTexts(60, 'further'))
      await expect(firstUnread(page, 60)).toBeVisible()
      await latest(page).focus()
      await page.keyboard.press('Enter')
      await expectAtEnd(page)
      await expect(room(page).entries.last()).toHaveText(/further 60$/)
      await expect(room(page).entries.last()).toBeInViewport()
      await expect(room(page).list).toBeFocused()
      await expect(anyUnread(page)).toHaveCount(0)
      await expect(latest(page)).toHaveCount(0)
      await ann.send('and one more')
      await expect(room(page).entries.last()).toHaveText(/and one more$/)
      await expectAtEnd(page)
    })

    await test.step('READING-8 sending a message scrolls a list that was scrolled up to its end', async () => {
      await scrollUp(page, 500)
      await expect(latest(page)).toBeVisible()
      await ann.sendAll(numberedTexts(3, 'even more'))
      await expect(firstUnread(page, 3)).toBeVisible()
      await sendMessage(page, 'mine')
      await expect(room(page).entries.last()).toHaveText(/mine$/)
      await expect(room(page).entries.last()).toBeInViewport()
      await expectAtEnd(page)
      await expect(latest(page)).toHaveCount(0)
    })
    ann.disconnect()
  })

  test(`READING-3 with ${count} messages the list and its scroll position are kept when the user visits another screen`, async ({
    page,
    application,
  }) => {
    await enterRoom(page)
    const ann = await connectClient(application.url, 'ann')
    await ann.sendAll(numberedTexts(count))
    await expect(room(page).entries.last()).toHaveText(new RegExp(`message ${count}$`))
    await expectAtEnd(page)
    await scrollUp(page, 333)
    await expect(latest(page)).toBeVisible()
    await waitForStableLayout(page)
    const before = await textsInView(page)

    await page.getByRole('link', { name: 'Login', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
    await ann.send('sent meanwhile')
    await page.goBack()
    await expect(firstUnread(page, 1)).toBeVisible()
    await expect.poll(() => textsInView(page)).toEqual(before)

    await firstUnread(page, 1).click()
    await expectAtEnd(page)
    await page.getByRole('link', { name: 'Login', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
    await ann.send('and again')
    await page.goBack()
    await expect(room(page).entries.last()).toHaveText(/and again$/)
    await expectAtEnd(page)
    ann.disconnect()
  })
}

const longText = 'a message with several lines of text '.repeat(4)

for (const [device, options] of [
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const) {
  test(`READING-2 on a ${device} the button for the first unread message skips no message of several lines`, async ({
    openVisitor,
    application,
  }) => {
    const page = await openVisitor(options)
    await enterRoomWithMessages(page, application.url, 40)
    await expectAtEnd(page)
    await room(page).list.evaluate((list) => list.scrollTo(0, 0))
    await expect(latest(page)).toBeVisible()
    const ann = await connectClient(application.url, 'ann')
    const unread = numberedTexts(16, longText)
    await ann.sendAll(unread)
    ann.disconnect()
    await expect(firstUnread(page, unread.length)).toBeVisible()

    const missing = new Set(unread)
    while (missing.size > 0) {
      const [next] = missing
      await firstUnread(page, missing.size).click()
      await expect.poll(() => completeTexts(page)).toContain(next)
      await waitForStableLayout(page)
      for (const text of await completeTexts(page)) missing.delete(text)
      // The message is at the top, except at the end of the list.
      if (missing.size > 0) expect((await textsInView(page))[0]).toContain(next)
    }
    await expectAtEnd(page)
    await expect(anyUnread(page)).toHaveCount(0)
  })
}

test('READING-2 missed messages of several lines count as unread unless they have been in view', async ({
  page,
  application,
}) => {
  const returning = await openReturningPage(page, application.url)
  await returning.miss(30, longText)
  await expectAtEnd(page)
  // The button takes the space of one message.
  await expect.poll(async () => (await unreadCount(page)) + (await textsInView(page)).length).toBeGreaterThanOrEqual(29)
  const unread = await unreadCount(page)
  // The page must attribute the next scroll to the button, although the user pressed in the list before.
  await room(page).list.dispatchEvent('pointerdown')
  await anyUnread(page).click()
  await expect.poll(async () => (await textsInView(page))[0]).toContain(`${longText} 1`)
  await expect.poll(async () => (await unreadCount(page)) + (await completeTexts(page)).length).toBe(unread)
})

test('READING-2 a divider precedes the messages that arrived while the tab was hidden, until the user has scrolled past it', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.sendAll(numberedTexts(40))
  await expect(room(page).entries).toHaveCount(40)
  await expectAtEnd(page)
  expect(await textsBelowDivider(page)).toEqual([])

  await setHidden(page, true)
  await ann.sendAll(numberedTexts(60, 'news'))
  await expect(room(page).entries).toHaveCount(100)
  await setHidden(page, false)
  await expectAtEnd(page)
  expect(await textsBelowDivider(page)).toEqual(['news 1'])
  await expect.poll(async () => (await unreadCount(page)) + (await textsInView(page)).length).toBe(60)

  await anyUnread(page).click()
  await expect.poll(async () => (await textsInView(page))[0]).toMatch(/ : news 1$/)
  expect(await textsBelowDivider(page)).toEqual(['news 1'])
  await expect
    .poll(async () => (await unreadCount(page)) + 2 * (await textsInView(page)).length)
    .toBeLessThanOrEqual(61)
  await latest(page).click()
  await expectAtEnd(page)
  await expect.poll(() => textsBelowDivider(page)).toEqual([])
  await expect(anyUnread(page)).toHaveCount(0)

  // Unread messages that fit into the view keep the divider until further messages push it out of view.
  await setHidden(page, true)
  await ann.sendAll(numberedTexts(2, 'later'))
  await expect(room(page).entries).toHaveCount(102)
  await setHidden(page, false)
  await expect(anyUnread(page)).toHaveCount(0)
  expect(await textsBelowDivider(page)).toEqual(['later 1'])
  await ann.sendAll(numberedTexts(3, 'soon after'))
  await expect(room(page).entries).toHaveCount(105)
  expect(await textsBelowDivider(page)).toEqual(['later 1'])
  await ann.sendAll(numberedTexts(40, 'much more'))
  await expect(room(page).entries).toHaveCount(145)
  await expect.poll(() => textsBelowDivider(page)).toEqual([])
  ann.disconnect()
})

test('READING-2 a tap on the scroll button opens no actions above the first unread message, but a tap on the message does', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await enterRoomWithMessages(page, application.url, 40)
  await setTextSize(page, 200)
  const ann = await connectClient(application.url, 'ann')
  const receiveUnread = async (text: string) => {
    await room(page).list.evaluate((list) => (list.scrollTop = 0))
    await expect(latest(page)).toBeVisible()
    await ann.sendAll(numberedTexts(4, text))
    await expect(firstUnread(page, 4)).toBeVisible()
    await waitForStableLayout(page)
  }
  const entry = (text: string) => room(page).entries.filter({ hasText: text })
  const reply = page.getByRole('button', { name: 'Reply' })

  await receiveUnread('news')
  // The buttons have one line of text.
  expect((await firstUnread(page, 4).boundingBox())?.height).toBeLessThan(2 * 33)
  await firstUnread(page, 4).tap()
  await expect(entry('news 1')).toBeFocused()
  await waitForStableLayout(page)
  await expect(reply).toHaveCount(0)
  await entry('news 1').getByText('news 1').tap()
  await expect(reply).toBeVisible()

  await latest(page).tap()
  await receiveUnread('more')
  await firstUnread(page, 4).press('Enter')
  await expect(entry('more 1')).toBeFocused()
  await expect(reply).toBeVisible()
  ann.disconnect()
})

test('READING-2 the scroll buttons cover no message', async ({ page, application }) => {
  const ann = await connectClient(application.url, 'ann')
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    await enterRoom(page)
    await ann.sendAll(numberedTexts(60, 'a message that is long enough to reach below the buttons, number'))
    await expect(room(page).entries).toHaveCount(60)
    await expectAtEnd(page)
    await scrollUp(page, 300)
    await expect(latest(page)).toBeVisible()
    await ann.send('news')
    await expect(firstUnread(page, 1)).toBeVisible()
    await waitForStableLayout(page)
    const list = await room(page).list.boundingBox()
    for (const button of [firstUnread(page, 1), latest(page)]) {
      const box = await button.boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual((list?.y ?? 0) + (list?.height ?? 0))
      expect(box?.height).toBeGreaterThanOrEqual(44)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    }
  }
  ann.disconnect()
})

test('READING-4 a long list is virtual, stays a numbered list, and shows entries in every frame while messages arrive', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  for (let batch = 0; batch < 5; batch++) await ann.sendAll(numberedTexts(500, `batch ${batch} message`))
  const { list, entries } = room(page)
  await expect(entries.last()).toHaveText(entryPattern('ann (not loggedin)', 'batch 4 message 500'))
  await expectAtEnd(page)
  await expect(entries.last()).toHaveAttribute('aria-setsize', '2500')
  await expect(entries.last()).toHaveAttribute('aria-posinset', '2500')
  expect(await entries.last().evaluate((item) => (item as HTMLLIElement).value)).toBe(2500)
  await expect(entries.last()).toHaveCSS('display', 'list-item')
  await expect(list.locator(':scope > ol')).toHaveCount(1)
  expect(await entries.count()).toBeLessThanOrEqual(300)

  await expect(list).toHaveAttribute('data-renderer', 'virtual')
  await recordFrames(page)
  // The scroll distances are less than, about, and more than the height of the screen.
  for (let part = 0; part < 20; part++) {
    const { shown } = await frames(page)
    const count = 4 + 2 * part
    await ann.sendAll(numberedTexts(count, `news ${part}`))
    await expect(entries.last()).toHaveText(new RegExp(`news ${part} ${count}$`))
    await expect.poll(async () => (await frames(page)).shown).toBeGreaterThan(shown)
  }
  expect((await frames(page)).blank).toBe(0)

  await waitForFloodEnd(page)
  await list.evaluate((element) => element.scrollTo(0, 0))
  await expect(entries.first()).toHaveText(entryPattern('ann (not loggedin)', 'batch 0 message 1'))
  expect(await entries.first().evaluate((item) => (item as HTMLLIElement).value)).toBe(1)
  expect(await entries.count()).toBeLessThanOrEqual(300)
  ann.disconnect()
})

test('READING-4 an online list of thousands is virtual and stays a numbered list', async ({ page }) => {
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((frame) => {
      const many = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => `id-${index + 1}`.padEnd(20, 'x')))
      socket.send(String(frame).replace(/\["online-users",\[[^\]]*\]/, `["online-users",${many}`))
    })
  })
  await enterRoom(page)
  const { onlineTitle, onlineIds, onlineList } = room(page)
  await expect(onlineTitle).toHaveText(/^Online Users Socket Id \[500\d\]$/)
  await expect(onlineIds.first()).toHaveText(/^id-1x/)
  expect(await page.locator('li').count()).toBeLessThanOrEqual(300)
  await onlineList.evaluate((list) => list.scrollTo(0, list.scrollHeight / 2))
  await expect(onlineIds.first()).not.toHaveText(/^id-1x/)
  const start = await onlineList.locator('ol').evaluate((ol) => (ol as HTMLOListElement).start)
  expect(start).toBeGreaterThan(4_000)
  await expect(onlineIds.first()).toHaveText(new RegExp(`^id-${start}x`))
  await expect(onlineIds.first()).toHaveAttribute('aria-posinset', String(start))
  expect(await page.locator('li').count()).toBeLessThanOrEqual(300)
  await onlineList.evaluate((list) => list.scrollTo(0, list.scrollHeight))
  const isLastOfAll = () => onlineIds.last().evaluate((item) => item.ariaPosInSet === item.ariaSetSize)
  await expect.poll(isLastOfAll).toBe(true)
})

test('READING-1 URLs become safe links, and HTML in a message is shown as text', async ({ page }) => {
  const violations: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text())
  })
  await enterRoom(page)
  await sendMessage(page, 'https://example.org/?a=1 and javascript:alert(1) and <img src=x onerror=alert(1)>')
  const entry = room(page).entries.first()
  const link = entry.getByRole('link')
  await expect(link).toHaveCount(1)
  await expect(link).toHaveAttribute('href', 'https://example.org/?a=1')
  await expect(link).toHaveAttribute('rel', 'noopener nofollow')
  await expect(entry.locator('img')).toHaveCount(0)
  await expect(entry).toContainText('<img src=x onerror=alert(1)>')
  expect(violations).toEqual([])
})

test('READING-5 while the tab is hidden, the title counts unread messages and the icon shows that there are some', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send('seen')
  await expect(room(page).entries).toHaveCount(1)
  await setHidden(page, true)
  await ann.sendAll(['one', 'two'])
  ann.disconnect()
  await expect(page).toHaveTitle('(2) Chat Room')
  const icon = page.locator('link[rel=icon]')
  await expect(icon).toHaveAttribute('href', '/icon-unread.svg')
  await setHidden(page, false)
  await expect(page).toHaveTitle('Chat Room')
  await expect(icon).toHaveAttribute('href', '/icon.svg')
})

test('READING-6 the keyboard moves through the list from its end to its start', async ({ page, application }) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.sendAll(numberedTexts(400))
  const { list, entries } = room(page)
  await expect(entries).toHaveCount(400)
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.split(' : ')[1])
  await list.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(focused).toBe('message 400')
  await page.keyboard.press('ArrowUp')
  await expect.poll(focused).toBe('message 399')
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toBe('message 400')
  await page.keyboard.press('PageUp')
  await expect.poll(async () => (await textsInView(page)).some((text) => text.endsWith('message 400'))).toBe(false)
  await waitForStableLayout(page)
  const [, firstWhole] = await textsInView(page)
  await page.keyboard.press('ArrowDown')
  await waitForStableLayout(page)
  const seen = (await textsInView(page)).map((text) => text.split(' : ')[1])
  expect(seen).toContain(await focused())
  expect(seen).toContain(firstWhole?.split(' : ')[1])
  await page.keyboard.press('Home')
  await expect.poll(focused).toBe('message 1')
  await expect.poll(async () => (await textsInView(page))[0]).toMatch(/message 1$/)
  await page.keyboard.press('End')
  await expect.poll(focused).toBe('message 400')
  await expectAtEnd(page)
  ann.disconnect()
})
