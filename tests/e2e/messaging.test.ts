import type { Page } from '@playwright/test'
import { events } from '../../contract/events.ts'
import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { connectClient } from '../support/socket-client.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, entryPattern, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

/** Returns a list that collects every `send_message` packet that the page sends over WebSocket, parsed. */
function recordSentMessages(page: Page): unknown[][] {
  const sent: unknown[][] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const start = String(payload).indexOf(`["${events.sendMessage}"`)
      if (start >= 0) sent.push(JSON.parse(String(payload).slice(start)) as unknown[])
    }),
  )
  return sent
}

test('ID-1 the identity is kept in memory: it survives navigation, and a reload makes the user anonymous', async ({
  page,
  application,
}) => {
  collectAlerts(page)
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

test('SEND-1 with an empty message or custom name nothing is sent and no error is shown', async ({ page }) => {
  const sent = recordSentMessages(page)
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
  // The client applies the rule of the server: invisible characters count as empty (SHOWN-1).
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

  // With a name, the button sends the message.
  await customName.fill('ann')
  await send.click()
  await expect(entries).toHaveText([entryPattern('ann (not loggedin)', 'hello')])
  expect(sent).toHaveLength(1)
})

test("SEND-2 an anonymous sender has the suffix ' (not loggedin)', a logged-in sender the account name", async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  const { entries, customName } = room(page)
  await customName.fill(account.name)
  await sendMessage(page, 'without signing in')
  await logIn(page, account)
  await waitUntilLive(page)
  await sendMessage(page, 'signed in')
  await expect(entries).toHaveText([
    entryPattern(`${account.name} (not loggedin)`, 'without signing in'),
    entryPattern(account.name, 'signed in'),
  ])
  await expect(entries.first().locator('.account-name')).toHaveCount(0)
  await expect(entries.last().locator('.account-name')).toHaveCount(1)
})

test('SEND-4 the input is cleared only after the server has acknowledged the message', async ({ page }) => {
  const releases: (() => void)[] = []
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    const server = socket.connectToServer()
    const held: (string | Buffer)[] = []
    let isHolding = false
    socket.onMessage((frame) => {
      if (String(frame).includes(events.sendMessage)) isHolding = true
      server.send(frame)
    })
    server.onMessage((frame) => (isHolding ? held.push(frame) : socket.send(frame)))
    releases.push(() => {
      isHolding = false
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

test('RT-1 a page opens exactly two connections across navigation and receives messages on every screen', async ({
  page,
  application,
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

  const client = await connectClient(application.url, 'anonymous')
  await client.send('sent while the page shows another screen')
  client.disconnect()
  await page.goBack()
  await expect(room(page).entries).toHaveText([
    entryPattern('anonymous (not loggedin)', 'sent while the page shows another screen'),
  ])
})

test("RT-2 SEND-3 the page emits 'send_message' with username, message, and the time of the click in epoch milliseconds", async ({
  page,
}) => {
  const sent = recordSentMessages(page)
  await enterRoom(page)
  await room(page).customName.fill('ann')
  const before = await page.evaluate(() => Date.now())
  await sendMessage(page, 'hello')
  const after = await page.evaluate(() => Date.now())
  const [event, payload] = sent[0] as [string, Record<string, unknown>]
  expect(event).toBe('send_message')
  expect(Object.keys(payload).toSorted()).toEqual(['createdTime', 'message', 'username'])
  expect(payload['message']).toBe('hello')
  expect(payload['username']).toMatch(/^ann/)
  expect(payload['createdTime']).toBeGreaterThanOrEqual(before)
  expect(payload['createdTime']).toBeLessThanOrEqual(after)
})

test("CHAT-1 RT-3 RT-4 RT-5 pages replace the online list, append each 'recive_message' in one order, and start empty", async ({
  page,
  openVisitor,
}) => {
  await enterRoom(page)
  const { onlineTitle, onlineIds } = room(page)
  let mine: string[] = []
  await test.step('CHAT-1 the panel shows half of the number of socket ids, rounded down', async () => {
    await expect(onlineIds).toHaveCount(2)
    await expect(onlineTitle).toHaveText('Online Users Socket Id [1]')
    mine = await onlineIds.allTextContents()
  })

  await sendMessage(page, 'one')
  await expect(room(page).entries).toHaveText([entryPattern('anonymous (not loggedin)', 'one')])
  const other = await openVisitor()
  await test.step('RT-5 RT-4 CHAT-1 a newly loaded page starts with an empty list, and the online list of the other page is replaced', async () => {
    await enterRoom(other)
    await expect(room(other).onlineIds).toHaveCount(4)
    await expect(onlineIds).toHaveCount(4)
    await expect(onlineTitle).toHaveText('Online Users Socket Id [2]')
    await expect(room(other).entries).toHaveCount(0)
  })

  await test.step("RT-3 every message is appended to every list, including the sender's, in one order", async () => {
    await room(other).customName.fill('bob')
    await sendMessage(other, 'two')
    await sendMessage(page, 'three')
    const last = [entryPattern('bob (not loggedin)', 'two'), entryPattern('anonymous (not loggedin)', 'three')]
    await expect(room(page).entries).toHaveText([entryPattern('anonymous (not loggedin)', 'one'), ...last])
    await expect(room(other).entries).toHaveText(last)
  })

  await test.step('RT-4 a disconnected client leaves the online list', async () => {
    await other.close()
    await expect(onlineIds).toHaveCount(2)
    expect((await onlineIds.allTextContents()).toSorted()).toEqual(mine.toSorted())
    await expect(onlineTitle).toHaveText('Online Users Socket Id [1]')
  })

  await test.step('RT-5 a reloaded page starts with an empty list', async () => {
    await page.reload()
    await waitUntilLive(page)
    await expect(room(page).entries).toHaveCount(0)
  })
})
