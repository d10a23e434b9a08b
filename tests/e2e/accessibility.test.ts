import type { Page } from '@playwright/test'
import { type Route, routes } from '../../contract/routes.ts'
import { collectAlerts, uniqueName, logIn, registerAccount } from '../support/accounts.ts'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { violationsInBothColorSchemes } from './axe.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { noLimits } from './message-list.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, waitUntilLive, sendEach, room, sendMessage } from '../support/room-page.ts'

test('A11Y-2 axe reports no violation on any screen in light or dark', async ({ page, application }) => {
  const { response } = await registerAccount(application.url)
  await page.addInitScript((data) => localStorage.setItem('userData', data), JSON.stringify(response))
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const path of Object.values(routes)) {
      await page.goto(path)
      await waitUntilLive(page)
      if (path === routes.users) await expect(page.getByText(response.email)).toBeVisible()
      expect({ path, width, found: await violationsInBothColorSchemes(page) }).toEqual({ path, width, found: [] })
    }
  }
})

test('A11Y-2 axe reports no violation while the room connects in light or dark', async ({ page }) => {
  await page.route('**/socket.io/**', () => {})
  await page.routeWebSocket('**/socket.io/**', () => {})
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Connecting' })).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])
})

test('A11Y-2 axe reports no violation with messages, open menu, too long message and login in light or dark', async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await sendMessage(page, 'hello, see https://example.org')
  await room(page).message.fill('x'.repeat(4_000))
  await room(page).message.press('End')
  await room(page).message.press('y')
  await expect(page.getByText('Too long: 4,001 of 4,000 characters')).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])

  await room(page).message.fill('')
  await page.setViewportSize({ width: 390, height: 800 })
  await room(page).onlineTitle.getByRole('button').click()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])

  await logInOnWideScreen(page, account)
  await waitUntilLive(page)
  await sendMessage(page, 'as myself')
  expect(await violationsInBothColorSchemes(page)).toEqual([])
})

test('A11Y-2 axe reports no violation with queued and taken back messages in light or dark', async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  const { message, outbox } = room(page)
  await sendEach(page, 'one', 'two')
  await message.fill('three')
  // The rows appear with a delay and move the button.
  await expect.poll(async () => (await outbox.last().boundingBox())?.height).toBeGreaterThan(32)
  await waitForStableLayout(page)
  await outbox.first().getByRole('button', { name: 'Take back' }).click()
  await expect(outbox).toHaveText([/Not sent/, /Take back/])
  expect(await violationsInBothColorSchemes(page)).toEqual([])
})

test('A11Y-2 axe reports no violation with unread messages, a lost connection and a gap in light or dark', async ({
  page,
  startServer,
}) => {
  const server = await startServer(noLimits)
  await enterRoom(page, server.url)
  const ann = await connectClient(server.url, 'ann')
  await ann.sendAll(numberedTexts(60))
  await expect(room(page).entries).toHaveCount(60)
  await room(page).list.evaluate((list) => list.scrollTo(0, 0))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  await ann.send('one more')
  await expect(page.getByRole('button', { name: 'First unread (1)' })).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])

  await server.kill()
  ann.disconnect()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await room(page).message.fill('on its way')
  await room(page).send.click()
  await expect(page.getByText('Waiting for the connection')).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])

  await server.deleteData()
  await server.start()
  await waitUntilLive(page)
  await room(page).list.evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await expect(page.getByText('Some messages may be missing here')).toBeVisible()
  expect(await violationsInBothColorSchemes(page)).toEqual([])
})

async function logInOnWideScreen(page: Page, account: Parameters<typeof logIn>[1]) {
  await page.setViewportSize({ width: 1280, height: 800 })
  await logIn(page, account)
}

/** Returns the texts of the live region from the accessibility tree. */
async function announced(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as {
    nodes: { nodeId: string; role?: { value: string }; name?: { value: string }; childIds?: string[] }[]
  }
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const texts: string[] = []
  const visit = (id: string) => {
    const node = byId.get(id)
    if (node?.role?.value === 'StaticText') texts.push(node.name?.value ?? '')
    else node?.childIds?.forEach(visit)
  }
  for (const node of nodes) if (node.role?.value === 'log') visit(node.nodeId)
  return texts
}

test('A11Y-1 a single message is announced with its sender and text', async ({ page, application }) => {
  await enterRoom(page)
  expect(await announced(page)).toEqual([])
  const client = await connectClient(application.url, 'anonymous')
  await client.send('good morning')
  client.disconnect()
  await expect.poll(() => announced(page)).toEqual(['anonymous (not loggedin) : good morning'])
  await expect(page.getByRole('log')).toHaveCount(1)
})

test('A11Y-1 fifty messages in a second cause one announcement', async ({ page, application }) => {
  // The clock of the page runs ten times slower, so that fifty messages arrive within one second of this clock.
  await page.addInitScript((factor) => {
    const [realNow, later] = [Date.now.bind(Date), window.setTimeout.bind(window)]
    const startedAtMs = realNow()
    Date.now = () => Math.round(startedAtMs + (realNow() - startedAtMs) / factor)
    Object.assign(window, { setTimeout: (run: () => void, afterMs = 0) => later(run, afterMs * factor) })
  }, 10)
  await enterRoom(page)
  const clients = await Promise.all(['ann', 'bob', 'cem'].map((name) => connectClient(application.url, name)))
  const announcements = new Set<string>()
  await clients[0]?.send('first')
  await expect(room(page).entries).toHaveCount(1)
  for (let index = 1; index < 50; index++) void clients[index % 3]?.send(`message ${index}`)
  await expect(room(page).entries).toHaveCount(50)
  await expect
    .poll(async () => {
      for (const text of await announced(page)) announcements.add(text)
      return [...announcements]
    })
    .toEqual(['50 new messages from 3 senders'])
  for (const client of clients) client.disconnect()
})

test('A11Y-1 messages replayed after a reconnect are not announced, and the list is not a live region', async ({
  page,
  application,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const client = await connectClient(application.url, 'anonymous')
  await client.send('announced')
  await expect.poll(() => announced(page)).toEqual(['anonymous (not loggedin) : announced'])

  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await client.send('missed')
  await connection.unblock()
  await waitUntilLive(page)
  await expect(room(page).entries).toHaveText([/ : announced$/, / : missed$/])
  expect(await announced(page)).toEqual(['anonymous (not loggedin) : announced'])

  await client.send('announced again')
  await expect.poll(() => announced(page)).toEqual(['anonymous (not loggedin) : announced again'])
  expect(await room(page).list.evaluate((list) => list.closest('[aria-live], [role=log], [role=status]'))).toBeNull()
  client.disconnect()
})

test('A11Y-1 while a page is offline, no live region changes on its own', async ({ page }) => {
  await page.clock.install()
  await enterRoom(page)
  await page.context().setOffline(true)
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await room(page).message.fill('kept')
  await room(page).message.press('Enter')
  await expect(page.locator('.connection-pill')).toHaveText('Offline')
  await page.clock.runFor(1_000)
  const texts = () =>
    page
      .locator('output, [role=status], [role=alert], [role=log], [aria-live]')
      .evaluateAll((regions) => regions.map((region) => region.textContent))
  const before = await texts()
  for (let second = 1; second <= 8; second++) {
    await page.clock.runFor(1_000)
    expect(await texts()).toEqual(before)
  }
})

test('A11Y-3 a user can register, log in, send, read messages and list users by keyboard alone', async ({ page }) => {
  const alerts = collectAlerts(page)
  const name = uniqueName()
  const tabTo = async (target: ReturnType<Page['getByRole']>) => {
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab')
      if (await target.evaluate((element) => element === document.activeElement)) return
    }
    throw new Error(`not reached by keyboard: ${String(target)}`)
  }
  await enterRoom(page)
  await tabTo(page.getByRole('link', { name: 'Register', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page.getByLabel('Name', { exact: true }))
  await page.keyboard.type(name)
  await tabTo(page.getByLabel('Email', { exact: true }))
  await page.keyboard.type(`${name}@example.org`)
  await tabTo(page.getByLabel('Password', { exact: true }))
  await page.keyboard.type('secret')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Your account is ready')).toBeVisible()

  await tabTo(page.getByRole('link', { name: 'Log in', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page.getByLabel('Username', { exact: true }))
  await page.keyboard.type(name)
  await tabTo(page.getByLabel('Password', { exact: true }))
  await page.keyboard.type('secret')
  await tabTo(page.getByRole('button', { name: 'Login', exact: true }))
  await page.keyboard.press('Enter')
  await expect.poll(() => alerts).toEqual([`Login successful: ${name}`])
  await waitUntilLive(page)

  for (const text of ['first', 'second']) {
    if (!(await room(page).message.evaluate((input) => input === document.activeElement)))
      await tabTo(room(page).message)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await expect(room(page).message).toHaveValue('')
    await expect(room(page).entries.last()).toContainText(` : ${text}`)
  }
  await page.keyboard.press('Shift+Tab')
  await expect(room(page).list).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect(room(page).entries.first()).toBeFocused()
  await expect(room(page).entries.first()).toHaveText(/ : first$/)

  await page.goto('/fetchusers')
  await expect(page.getByText(`${name}@example.org`)).toBeVisible()
})

/**
 * Presses Tab until the focus returns to the first element or leaves the page, at most 40 times. Returns each stop and
 * whether its focus outline is visible.
 */
async function tabThrough(page: Page) {
  const stops: { name: string; hasOutline: boolean }[] = []
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const element = document.activeElement
      if (element === null || element === document.body) return null
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      const labels = isField ? element.labels : null
      const labelledBy = document.getElementById(element.getAttribute('aria-labelledby') ?? '')
      const name =
        labels?.[0]?.textContent ??
        element.ariaLabel ??
        labelledBy?.textContent ??
        element.textContent ??
        element.tagName
      return { name: name.trim(), hasOutline: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 }
    })
    if (stop === null || stop.name === stops[0]?.name) break
    stops.push(stop)
  }
  return stops
}

test('A11Y-4 Tab reaches every control in order, and the focused control has a visible outline', async ({ page }) => {
  const links = ['Chat Room', 'Allusers', 'Register', 'Login']
  const bar = ['Skip to content', ...links]
  const roomBar = ['Skip to content', 'Skip to the message field', ...links]
  // The users screen needs a registration; another test visits it.
  const expected: Record<Exclude<Route, typeof routes.users>, unknown[]> = {
    '/': [
      ...roomBar,
      expect.stringContaining('Online Users'),
      'Search messages',
      'Notifications',
      'Messeges',
      'Set custom username',
      'Message',
      'Send',
    ],
    '/login': [...bar, 'Username', 'Password', 'Show characters', 'Login', "Don't have an account?"],
    '/register': [...bar, 'Name', 'Email', 'Password', 'Show characters', 'Sign Up', 'Log in'],
  }
  for (const [path, names] of Object.entries(expected)) {
    await page.goto(path)
    await waitUntilLive(page)
    if (path === '/') {
      await sendMessage(page, 'something to read at https://example.org')
      await expect(room(page).entries).toHaveCount(1)
    }
    await page.getByRole('link', { name: 'Skip to content' }).focus()
    await page.keyboard.press('Shift+Tab')
    const stops = await tabThrough(page)
    expect(stops.map(({ name }) => name)).toEqual(names)
    expect(stops.filter(({ hasOutline }) => !hasOutline)).toEqual([])
  }
})

test('A11Y-3 the keyboard reaches the links of an entry, and Escape returns to the message field', async ({ page }) => {
  await enterRoom(page)
  await sendMessage(page, 'see https://example.org/one and https://example.org/two')
  await expect(room(page).entries).toHaveCount(1)
  const [first, second] = [1, 2].map((number) =>
    room(page)
      .entries.getByRole('link')
      .nth(number - 1),
  )
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await expect(room(page).list).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(first!).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(second!).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(room(page).entries.first()).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(first!).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(room(page).message).toBeFocused()
})

test('A11Y-3 a character typed outside of a field goes to the message field, a shortcut does not', async ({ page }) => {
  await enterRoom(page)
  await sendMessage(page, 'something to read')
  await expect(room(page).entries).toHaveCount(1)
  await room(page).list.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+b')
  await expect(room(page).entries.first()).toBeFocused()
  await page.keyboard.type('hello')
  await expect(room(page).message).toBeFocused()
  await expect(room(page).message).toHaveValue('hello')

  await page.getByLabel('Set custom username').focus()
  await page.keyboard.type('mia')
  await expect(room(page).message).toHaveValue('hello')
})

test('A11Y-6 an invalid field keeps its red border while it has the focus', async ({ page, application }) => {
  collectAlerts(page)
  const { name } = await registerAccount(application.url)
  const look = (field: ReturnType<Page['getByLabel']>) =>
    field.evaluate((element) => {
      const probe = document.createElement('i')
      probe.style.color = 'var(--danger)'
      document.body.append(probe)
      const danger = getComputedStyle(probe).color
      probe.remove()
      const { borderTopColor, outlineColor, outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element)
      return {
        isFocused: element === document.activeElement,
        isRed: borderTopColor === danger,
        hasFocusRing: outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && outlineColor !== danger,
        // Without an offset the focus ring would cover the red border.
        hasRingOffset: parseFloat(outlineOffset) >= 1,
      }
    })
  const both = { isFocused: true, isRed: true, hasFocusRing: true, hasRingOffset: true }

  await enterRoom(page)
  await room(page).message.fill('x'.repeat(4_000))
  await room(page).message.press('End')
  await room(page).message.press('y')
  await expect.poll(() => look(room(page).message)).toEqual(both)

  await page.goto('/register')
  await waitUntilLive(page)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill('another@example.org')
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign Up' }).click()
  await expect.poll(() => look(page.getByLabel('Name', { exact: true }))).toEqual(both)
})
