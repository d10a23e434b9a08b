import type { Locator, Page } from '@playwright/test'
import { collectAlerts, uniqueName, logIn, registerAccount } from '../support/accounts.ts'
import { connectClient } from '../support/socket-client.ts'
import { nameHue } from '../../web/room/entry/name-hue.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { setHidden } from './page-visibility.ts'
import { enterRoom, entryPattern, room, sendMessage } from '../support/room-page.ts'

const hebrew = 'שלום'

/** Returns text and horizontal position of the parts of an entry's sender. */
const senderPartsOf = (entry: Locator) =>
  entry.evaluate((item) => {
    const name = item.querySelector('bdi')
    const all = name?.parentElement
    const textOf = (element: Element | null | undefined) => element?.textContent ?? ''
    const box = (element: Element | null | undefined) => {
      const { left = 0, right = 0 } = element?.getBoundingClientRect() ?? {}
      return { left, right }
    }
    return {
      name: { text: textOf(name), ...box(name) },
      suffix: { text: textOf(name?.nextElementSibling), ...box(name?.nextElementSibling) },
      all: box(all),
    }
  })

test('READING-9 the mark of accounts is loaded with the room, so that a lost connection does not leave it blank', async ({
  openVisitor,
}) => {
  const page = await openVisitor()
  await Promise.all([page.waitForResponse(/account-mark/), page.goto('/')])
})

test('READING-13 a date line is displayed where the day changes, beside the unread divider and outside of the text', async ({
  page,
  application,
}) => {
  await page.clock.install({ time: new Date(2026, 10, 18, 23, 59) })
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  const { entries } = room(page)
  await ann.send('late')
  await expect(entries).toHaveCount(1)
  await setHidden(page, true)
  await page.clock.setSystemTime(new Date(2026, 10, 19, 0, 1))
  await ann.send('early')
  await ann.send('later')
  ann.disconnect()
  await expect(entries).toHaveCount(3)
  const lines = await entries.evaluateAll((items) =>
    items.map((item) => {
      const body = item.querySelector('.entry-body') ?? item
      const [day, unread] = [getComputedStyle(body, '::before'), getComputedStyle(item, '::before')]
      const bottom = (style: CSSStyleDeclaration) => parseFloat(style.top) + parseFloat(style.height)
      const time = item.querySelector('.entry-time') ?? item
      return {
        content: [day.content, unread.content],
        isInOrder:
          bottom(unread) <= parseFloat(day.top) &&
          item.getBoundingClientRect().top + bottom(day) <= time.getBoundingClientRect().top,
      }
    }),
  )
  expect(lines.map(({ content }) => content)).toEqual([
    ['none', 'none'],
    ['"Thursday, November 19, 2026"', '"New messages"'],
    ['none', 'none'],
  ])
  expect(lines[1]?.isInOrder).toBe(true)
  await expect(entries.nth(1)).toHaveText(/^\[[^\]]+\] ann \(not loggedin\) : early$/)
})

test('READING-10 the suffix follows a right-to-left name', async ({ page, application }) => {
  await enterRoom(page)
  const other = await connectClient(application.url, hebrew)
  await other.send('hello')
  const entry = room(page).entries.first()
  await expect(entry).toHaveText(entryPattern(`${hebrew} (not loggedin)`, 'hello'))
  const { name, suffix } = await senderPartsOf(entry)
  expect(name.text).toBe(hebrew)
  expect(suffix.text).toBe(' (not loggedin)')
  expect(suffix.left).toBeGreaterThanOrEqual(name.right - 1)
  other.disconnect()
})

test('READING-10 the account mark follows a right-to-left name', async ({ page, application }) => {
  const account = await registerAccount(application.url, `${hebrew} ${Date.now()}`, `${uniqueName()}@example.org`)
  await enterRoom(page)
  const other = await connectClient(application.url, account.name, account.response.token)
  await other.send('hello')
  const entry = room(page).entries.first()
  await expect(entry).toHaveText(entryPattern(account.name, 'hello'))
  const { name, all } = await senderPartsOf(entry)
  expect(all.left).toBeCloseTo(name.left, 0)
  // The space between the end of the name and the end of the sender is the mark.
  expect(all.right - name.right).toBeGreaterThan(8)
  other.disconnect()
})

test('READING-9 the entries of the user, and only those, are marked by style', async ({ page, application }) => {
  await enterRoom(page)
  await sendMessage(page, 'the same words')
  await expect(room(page).entries).toHaveCount(1)
  const other = await connectClient(application.url, 'anonymous')
  await other.send('the same words')
  other.disconnect()
  await expect(room(page).entries).toHaveCount(2)
  const barOf = (entry: Locator) => entry.evaluate((item) => getComputedStyle(item).borderInlineStartWidth)
  await expect.poll(() => barOf(room(page).entries.first())).toBe('3px')
  expect(await barOf(room(page).entries.last())).toBe('0px')
  for (const entry of await room(page).entries.all()) {
    await expect(entry).toHaveText(entryPattern('anonymous (not loggedin)', 'the same words'))
  }
})

test('READING-9 an entry that contains the current name of the user is highlighted', async ({ page, application }) => {
  collectAlerts(page)
  await enterRoom(page)
  const other = await connectClient(application.url, 'ann')
  await room(page).customName.fill('Zoë')
  await other.send('hello zoë, how are you?')
  await other.send('the zoëtrope turns')
  const highlighted = () =>
    room(page).entries.evaluateAll((items) => items.map((item) => item.matches('[data-mention]')))
  await expect.poll(highlighted).toEqual([true, false])
  const background = (index: number) =>
    room(page)
      .entries.nth(index)
      .evaluate((item) => getComputedStyle(item).backgroundColor)
  expect(await background(0)).not.toBe(await background(1))
  await room(page).customName.fill('Yves')
  await expect.poll(highlighted).toEqual([false, false])

  const account = await registerAccount(application.url)
  await logIn(page, account)
  await other.send(`welcome ${account.name.toUpperCase()}!`)
  await expect.poll(highlighted).toEqual([false, false, true])
  await sendMessage(page, `${account.name} speaking`)
  await expect.poll(highlighted).toEqual([false, false, true, false])
  other.disconnect()
})

/** Returns the minimum contrast of soft text and of names in all hues on each background, and the number of distinct name colours. */
const minimumContrast = (page: Page) =>
  page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    if (context === null) throw new Error('no canvas')
    const pixel = (colour: string) => {
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
      return [...context.getImageData(0, 0, 1, 1).data]
    }
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = pixel(colour).map((value) => {
        const share = value / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    const sample = document.createElement('span')
    document.body.append(sample)
    const computed = (property: 'color' | 'backgroundColor', value: string) => {
      sample.style[property] = value
      return getComputedStyle(sample)[property]
    }
    const grounds = ['--surface', '--caution-soft'].map((token) =>
      luminance(computed('backgroundColor', `var(${token})`)),
    )
    const inks: string[] = ['var(--ink-soft)', 'var(--ink-faint)'].map((ink) => computed('color', ink))
    sample.style.color = ''
    sample.className = 'entry-name'
    for (let hue = 0; hue < 360; hue++) {
      sample.style.setProperty('--name-hue', String(hue))
      inks.push(getComputedStyle(sample).color)
    }
    sample.remove()
    const distinct = new Set(inks.slice(2).map((ink) => pixel(ink).join())).size
    return {
      minimum: Math.min(...inks.flatMap((ink) => grounds.map((ground) => contrast(luminance(ink), ground)))),
      distinct,
    }
  })

for (const colorScheme of ['light', 'dark'] as const) {
  test(`READING-9 names in every hue have sufficient contrast (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await enterRoom(page)
    const normal = await minimumContrast(page)
    expect(normal.minimum).toBeGreaterThanOrEqual(4.5)
    expect(normal.distinct).toBeGreaterThan(100)
    await page.emulateMedia({ colorScheme, contrast: 'more' })
    const high = await minimumContrast(page)
    expect(high.minimum).toBeGreaterThanOrEqual(7)
    expect(high.distinct).toBe(1)
    await page.emulateMedia({ colorScheme, contrast: null, forcedColors: 'active' })
    expect((await minimumContrast(page)).distinct).toBe(1)
  })
}

/** Returns the colour of the sender's name in each entry. */
const nameColours = (page: Page) =>
  room(page).entries.evaluateAll((items) =>
    items.map((item) => getComputedStyle(item.querySelector('bdi') ?? item).color),
  )

test('READING-9 an account always has the same colour, and different accounts have different colours', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  // Choose names with different hues: a hue depends on the name alone, and there are only 24 hues.
  const names = [`ann-${uniqueName()}`]
  while (names.length < 2) {
    const name = `ben-${uniqueName()}`
    if (nameHue(name) !== nameHue(names[0] ?? '')) names.push(name)
  }
  const clients = await Promise.all(
    names.map(async (name) => {
      const { response } = await registerAccount(application.url, name)
      return connectClient(application.url, name, response.token)
    }),
  )
  const [ann, ben] = clients
  await ann?.send('one')
  await ben?.send('two')
  await ann?.send('three')
  await expect(room(page).entries).toHaveCount(3)
  const [first, second, third] = await nameColours(page)
  expect(first).toBe(third)
  expect(first).not.toBe(second)
  for (const client of clients) client.disconnect()
})

test('READING-9 anonymous names have one neutral colour that no account has, and no mark', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const account = await registerAccount(application.url)
  const names = [account.name, 'ann', `${account.name} (loggedin)`]
  const clients = [
    await connectClient(application.url, account.name, account.response.token),
    ...(await Promise.all(names.map((name) => connectClient(application.url, name)))),
  ]
  for (const client of clients) await client.send('hello')
  await expect(room(page).entries).toHaveCount(4)
  const [accountColour, ...anonymousColours] = await nameColours(page)
  expect(new Set(anonymousColours).size).toBe(1)
  expect(anonymousColours).not.toContain(accountColour)
  const marks = await room(page).entries.evaluateAll((items) =>
    items.map((item) => {
      const sender = item.querySelector('bdi')?.parentElement ?? item
      return getComputedStyle(sender, '::after').maskImage !== 'none'
    }),
  )
  expect(marks).toEqual([true, false, false, false])
  for (const client of clients) client.disconnect()
})

for (const width of [390, 1280]) {
  test(`CHAT-7 all times have one size and end at the same position (${width} px)`, async ({ page, application }) => {
    await page.setViewportSize({ width, height: 800 })
    await enterRoom(page)
    const ann = await connectClient(application.url, 'ann')
    const times = [
      new Date(2026, 10, 16, 12, 0, 0),
      new Date(2026, 10, 16, 12, 1, 1),
      new Date(2026, 10, 16, 12, 1, 1),
      new Date(2026, 0, 2, 3, 4, 5),
      new Date(2026, 11, 28, 23, 58, 48),
    ]
    for (const time of times) await ann.send('hello', time.getTime())
    const entries = room(page).entries
    await expect(entries).toHaveText(
      times.map((time) => `[${time.toLocaleString('en-US')}] ann (not loggedin) : hello`),
    )
    const shown = await entries.evaluateAll((items) =>
      items.map((item) => {
        const time = item.querySelector('.entry-time') ?? item
        const { fontVariantNumeric } = getComputedStyle(time)
        return {
          sizes: [time, ...time.querySelectorAll('*')].map((part) => parseFloat(getComputedStyle(part).fontSize)),
          fontVariantNumeric,
          share: time.getBoundingClientRect().width / item.getBoundingClientRect().width,
          lines: time.getClientRects().length,
          nameX: item.querySelector('bdi')?.getBoundingClientRect().x,
        }
      }),
    )
    for (const { sizes, fontVariantNumeric, share, lines, nameX } of shown) {
      expect(new Set(sizes)).toEqual(new Set(shown[0]?.sizes))
      expect(new Set(sizes).size).toBe(1)
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12)
      expect(fontVariantNumeric).toBe('tabular-nums')
      expect(lines).toBe(1)
      expect(share).toBeLessThan(0.5)
      expect(nameX).toBe(shown[0]?.nameX)
    }
    ann.disconnect()
  })
}

test('READING-9 both brackets around a time have the same style, however much of the time is repeated', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  const noon = new Date(2026, 10, 16, 12, 0, 0).getTime()
  for (const afterMs of [0, 61_000, 61_000]) await ann.send('hello', noon + afterMs)
  await expect(room(page).entries).toHaveCount(3)
  const brackets = await room(page).entries.evaluateAll((items) =>
    items.map((item) => {
      const letters = document.createTreeWalker(item.querySelector('.entry-time') ?? item, NodeFilter.SHOW_TEXT)
      const styles: string[] = []
      for (let text = letters.nextNode(); text !== null; text = letters.nextNode()) {
        const { fontSize, color } = getComputedStyle(text.parentElement ?? item)
        for (const letter of text.nodeValue ?? '') if ('[]'.includes(letter)) styles.push(`${fontSize} ${color}`)
      }
      return styles
    }),
  )
  for (const [opening, closing, ...more] of brackets) {
    expect(opening).toBeDefined()
    expect(closing).toBe(opening)
    expect(more).toEqual([])
  }
  // The third entry repeats the whole time of the second entry, so its whole time is faint.
  expect(brackets[2]?.[0]).not.toBe(brackets[1]?.[0])
  ann.disconnect()
})

test('SHOWN-5 combining marks stacked on a letter are not painted over other entries', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  for (const text of ['one', 'two', 'three', 'four']) await ann.send(text, 0)
  await expect(room(page).entries).toHaveCount(4)
  const neighbour = room(page).entries.nth(3)
  await waitForStableLayout(page)
  const before = await neighbour.screenshot()
  // The server limits stacked marks, so the test inserts them into the page, as another server could send them.
  await page.evaluate((marks) => {
    const entry = document.querySelector('.message-scroller > ol > li:nth-child(4)')
    const copy = entry?.cloneNode(true) as HTMLElement
    const text = copy.querySelector('bdi:last-of-type')
    if (text !== null) text.textContent = `e${marks}`
    entry?.after(copy)
  }, '\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0316\u0317\u0318\u0319\u031c\u031d'.repeat(20))
  await waitForStableLayout(page)
  expect((await neighbour.screenshot()).equals(before)).toBe(true)
  ann.disconnect()
})
