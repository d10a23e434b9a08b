import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, entryPattern, room, sendMessage } from '../support/room-page.ts'

test("CHAT-2 while the online list is empty, 'Fetching ...' directly follows the title", async ({ page }) => {
  await page.route('**/socket.io/**', (route) => route.abort())
  await page.routeWebSocket('**/socket.io/**', (socket) => socket.close())
  await page.goto('/')
  const { onlineTitle } = room(page)
  await expect(onlineTitle).toHaveText('Online Users Socket Id [0]')
  expect(await onlineTitle.evaluate((title) => title.nextElementSibling?.textContent)).toBe('Fetching ...')
  await expect(page.getByText('Fetching ...', { exact: true }).first()).toBeVisible()
})

test('CHAT-2 the online list is numbered and scrolls within 16 rem', async ({ page }) => {
  await enterRoom(page)
  const { onlineList, onlineIds } = room(page)
  await expect(onlineIds).toHaveCount(2)
  await expect(onlineIds.first()).toHaveText(/^[\w-]{20}$/)
  await expect(onlineIds.first()).toHaveCSS('display', 'list-item')
  await expect(onlineIds.first()).toHaveCSS('list-style-type', 'decimal')
  const { maxHeightRem, overflowY } = await onlineList.evaluate((element) => ({
    maxHeightRem:
      parseFloat(getComputedStyle(element).maxHeight) / parseFloat(getComputedStyle(document.documentElement).fontSize),
    overflowY: getComputedStyle(element).overflowY,
  }))
  expect(maxHeightRem).toBe(16)
  expect(overflowY).toBe('auto')
})

test("CHAT-3 CHAT-4 the panel 'Send Your Message' shows an anonymous user 'Message without signing in' and the name 'anonymous'", async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Send Your Message', exact: true })).toBeVisible()
  await expect(page.getByText('Message without signing in', { exact: true })).toBeVisible()
  const { customName } = room(page)
  await expect(customName).toHaveValue('anonymous')
  await expect(customName).toHaveAttribute('placeholder', 'Set custom username')
  await expect(page.getByText(/^username : /)).toHaveCount(0)
})

test("CHAT-5 a logged-in user sees 'username : {name}' instead of the name field", async ({ page, application }) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  await expect(page.getByText(`username : ${account.name}`, { exact: true })).toBeVisible()
  await expect(page.getByText('Message without signing in')).toHaveCount(0)
  await expect(room(page).customName).toHaveCount(0)
})

test('CHAT-6 the Send button and Enter both send the text of the Message input', async ({ page }) => {
  await enterRoom(page)
  const { message, send, entries } = room(page)
  await expect(send).toHaveText('Send')
  await message.fill('by button')
  await send.click()
  await expect(entries).toHaveCount(1)
  await expect(message).toHaveValue('')
  await message.fill('by Enter')
  await message.press('Enter')
  await expect(entries).toHaveCount(2)
  await expect(entries.last()).toHaveText(entryPattern('anonymous (not loggedin)', 'by Enter'))
})

test("CHAT-7 'Messeges' lists numbered entries of the exact form '[local date-time] username : message'", async ({
  page,
}) => {
  await page.goto('/')
  await page.evaluate(() => Object.assign(window, { before: Date.now() }))
  await enterRoom(page)
  await expect(page.getByRole('heading', { name: 'Messeges', exact: true })).toBeVisible()
  const { entries, customName } = room(page)
  await customName.fill('ann')
  const before = Date.now()
  await sendMessage(page, 'first  with  blanks')
  await sendMessage(page, 'see https://example.org/ now')
  const after = Date.now()
  await expect(entries).toHaveCount(2)

  const [first, second] = await entries.evaluateAll((items) => items.map((item) => item.textContent))
  const times = await page.evaluate(
    ([from, to]) => {
      const all: string[] = []
      for (let at = from - 1_000; at <= to + 1_000; at += 500) all.push(new Date(at).toLocaleString())
      return all
    },
    [before, after] as const,
  )
  const parts = /^\[(.+)\] ann \(not loggedin\) : (.*)$/s
  expect(times).toContain(parts.exec(first ?? '')?.[1])
  expect(parts.exec(first ?? '')?.[2]).toBe('first  with  blanks')
  expect(parts.exec(second ?? '')?.[2]).toBe('see https://example.org/ now')

  expect(await entries.evaluateAll((items) => items.map((item) => (item as HTMLLIElement).value))).toEqual([1, 2])
  await expect(entries.first()).toHaveCSS('display', 'list-item')
  await expect(entries.first()).toHaveCSS('list-style-type', 'decimal')
})

test('CHAT-7 no screen uses text-transform', async ({ page }) => {
  for (const path of ['/', '/register', '/login']) {
    await page.goto(path)
    const transformed = await page.evaluate(
      () => [...document.querySelectorAll('body *')].filter((e) => getComputedStyle(e).textTransform !== 'none').length,
    )
    expect(transformed).toBe(0)
  }
})

test("CHAT-8 without messages the list shows 'Fetching ... ' with its trailing space", async ({ page }) => {
  await enterRoom(page)
  const { onlineIds } = room(page)
  await expect(onlineIds).not.toHaveCount(0)
  const fetching = page.getByText('Fetching ...')
  await expect(fetching).toHaveCount(1)
  expect(await fetching.textContent()).toBe('Fetching ... ')
  await sendMessage(page, 'something')
  await expect(fetching).toHaveCount(0)
})
