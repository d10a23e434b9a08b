import type { Page } from '@playwright/test'
import { events } from '../../contract/events.ts'
import { alertsOf, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, entryPattern, live, room, say } from '../support/room-page.ts'

/** Every `send_message` that a page puts on the wire, as JSON. */
function sentBy(page: Page): unknown[][] {
  const sent: unknown[][] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const start = String(payload).indexOf(`["${events.sendMessage}"`)
      if (start >= 0) sent.push(JSON.parse(String(payload).slice(start)) as unknown[])
    }),
  )
  return sent
}

test('ID-1 the identity lives in memory: it survives links, and a reload is anonymous again', async ({
  page,
  application,
}) => {
  alertsOf(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  await page.goBack()
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
  await page.getByRole('link', { name: 'Chat Room' }).click()
  await expect(page.getByText(`username : ${account.name}`, { exact: true })).toBeVisible()

  await page.reload()
  await expect(page.getByText('Message without signing in')).toBeVisible()
  await expect(page.getByRole('navigation').getByRole('link')).toHaveCount(3)
})

test('SEND-1 nothing is sent, and nothing shown, while message or custom name is empty', async ({ page }) => {
  const sent = sentBy(page)
  await enterRoom(page)
  const { message, send, customName, entries, onlineIds } = room(page)
  await expect(message).not.toHaveAttribute('required')
  await expect(customName).not.toHaveAttribute('required')
  await expect(onlineIds).toHaveCount(2)
  const before = await page.getByRole('main').innerText()

  await send.click()
  await message.fill('   ')
  await send.click()
  await expect(message).toHaveValue('   ')
  // As the server judges it: what draws nothing is empty (SHOWN-1).
  await message.fill('\u200b\u3164')
  await send.click()
  await expect(message).toHaveValue('\u200b\u3164')
  await customName.fill('  ')
  await message.fill('hello')
  await message.press('Enter')
  await customName.fill('')
  await send.click()
  await expect(send).toBeEnabled()
  await expect(message).toHaveValue('hello')
  expect(await page.getByRole('main').innerText()).toBe(before)
  await expect(entries).toHaveCount(0)
  expect(sent).toEqual([])

  // The button was not dead: with a name it sends.
  await customName.fill('ann')
  await send.click()
  await expect(entries).toHaveText([entryPattern('ann (not loggedin)', 'hello')])
  expect(sent).toHaveLength(1)
})

test("SEND-2 anonymous senders carry ' (not loggedin)', logged-in users their account name", async ({
  page,
  application,
}) => {
  alertsOf(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  const { entries, customName } = room(page)
  await customName.fill(account.name)
  await say(page, 'without signing in')
  await logIn(page, account)
  await live(page)
  await say(page, 'signed in')
  await expect(entries).toHaveText([
    entryPattern(`${account.name} (not loggedin)`, 'without signing in'),
    entryPattern(account.name, 'signed in'),
  ])
  await expect(entries.first().locator('.account-name')).toHaveCount(0)
  await expect(entries.last().locator('.account-name')).toHaveCount(1)
})

test('SEND-3 createdTime is the epoch milliseconds of the press on Send', async ({ page }) => {
  const sent = sentBy(page)
  await enterRoom(page)
  const before = await page.evaluate(() => Date.now())
  await say(page, 'what time is it')
  const after = await page.evaluate(() => Date.now())
  const [, payload] = sent[0] as [string, { createdTime: number }]
  expect(payload.createdTime).toBeGreaterThanOrEqual(before)
  expect(payload.createdTime).toBeLessThanOrEqual(after)
})

test('SEND-4 the input is cleared only when the server has acknowledged', async ({ page }) => {
  const releases: (() => void)[] = []
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    const server = socket.connectToServer()
    const held: (string | Buffer)[] = []
    let holding = false
    socket.onMessage((frame) => {
      if (String(frame).includes(events.sendMessage)) holding = true
      server.send(frame)
    })
    server.onMessage((frame) => (holding ? held.push(frame) : socket.send(frame)))
    releases.push(() => {
      holding = false
      for (const frame of held.splice(0)) socket.send(frame)
    })
  })
  await enterRoom(page)
  const { message, send, entries } = room(page)
  await message.fill('held back')
  await send.click()
  await expect(page.getByText('Sending…')).toBeVisible()
  await expect(message).toHaveValue('held back')
  await expect(entries).toHaveCount(0)
  for (const release of releases) release()
  await expect(message).toHaveValue('')
  await expect(entries).toHaveCount(1)
})

test('RT-1 a page opens exactly two connections, whatever it does, and the list grows on every screen', async ({
  page,
  visitor,
}) => {
  const open = new Set<unknown>()
  let opened = 0
  page.on('websocket', (socket) => {
    opened++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await enterRoom(page)
  await expect(room(page).onlineIds).toHaveCount(2)
  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await page.goBack()
  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  expect(opened).toBe(2)
  expect(open.size).toBe(2)

  const other = await visitor()
  await enterRoom(other)
  await say(other, 'said while nobody was in the room')
  await page.goBack()
  await expect(room(page).entries).toHaveText([
    entryPattern('anonymous (not loggedin)', 'said while nobody was in the room'),
  ])
})

test("RT-2 the page emits 'send_message' with username, message and createdTime", async ({ page }) => {
  const sent = sentBy(page)
  await enterRoom(page)
  await room(page).customName.fill('ann')
  await say(page, 'hello')
  const [event, payload] = sent[0] as [string, Record<string, unknown>]
  expect(event).toBe('send_message')
  expect(Object.keys(payload).toSorted()).toEqual(['createdTime', 'message', 'username'])
  expect(payload['message']).toBe('hello')
  expect(payload['username']).toMatch(/^ann/)
})

test("RT-3 'recive_message' is appended at the end, at the sender's too, in one order for all", async ({
  page,
  visitor,
}) => {
  await enterRoom(page)
  const other = await visitor()
  await enterRoom(other)
  await room(other).customName.fill('bob')
  await say(page, 'one')
  await say(other, 'two')
  await say(page, 'three')
  const expected = [
    entryPattern('anonymous (not loggedin)', 'one'),
    entryPattern('bob (not loggedin)', 'two'),
    entryPattern('anonymous (not loggedin)', 'three'),
  ]
  await expect(room(page).entries).toHaveText(expected)
  await expect(room(other).entries).toHaveText(expected)
})

test('RT-4 the online list is replaced when somebody comes and when somebody goes', async ({ page, visitor }) => {
  await enterRoom(page)
  const { onlineIds } = room(page)
  await expect(onlineIds).toHaveCount(2)
  const mine = await onlineIds.allTextContents()
  const other = await visitor()
  await enterRoom(other)
  await expect(onlineIds).toHaveCount(4)
  await other.close()
  await expect(onlineIds).toHaveCount(2)
  expect((await onlineIds.allTextContents()).toSorted()).toEqual(mine.toSorted())
})

test('RT-5 no history: a freshly loaded page starts empty', async ({ page, visitor }) => {
  await enterRoom(page)
  await say(page, 'said before')
  await expect(room(page).entries).toHaveCount(1)
  const late = await visitor()
  await enterRoom(late)
  await expect(room(late).onlineIds).toHaveCount(4)
  await expect(room(late).entries).toHaveCount(0)
  await page.reload()
  await live(page)
  await expect(room(page).entries).toHaveCount(0)
})
