import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, entryPattern, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

test('RT-6 after a server crash the page shows the lost connection, keeps the typed message and reconnects on its own', async ({
  page,
  openVisitor,
  startServer,
}) => {
  const server = await startServer()
  await enterRoom(page, server.url)
  const other = await openVisitor()
  await enterRoom(other, server.url)
  await sendMessage(page, 'before')

  await server.kill()
  await expect(page.getByRole('status').filter({ hasText: 'Reconnecting' })).toBeVisible()
  await expect(page.getByText('The connection is lost. Your text is kept.')).toBeVisible()
  const { message, send, entries } = room(page)
  await message.fill('while away')
  await send.click()
  await expect(page.getByText('Waiting for the connection', { exact: true })).toBeVisible()
  await expect(message).toHaveValue('while away')

  await server.start()
  await waitUntilLive(page)
  await expect(message).toHaveValue('')
  const expected = ['before', 'while away'].map((text) => entryPattern('anonymous (not loggedin)', text))
  await expect(entries).toHaveText(expected)
  await expect(room(other).entries).toHaveText(expected)

  const late = await openVisitor()
  await enterRoom(late, server.url)
  await expect(late.locator('section', { hasText: 'Messeges' }).getByText('Fetching ... ')).toBeVisible()
  await expect(room(late).entries).toHaveCount(0)
})

test("RT-6 'Try now' reconnects without waiting for the next attempt", async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  // The back-off is random. Make it so long that only the button can end it.
  await page.evaluate(() => {
    Math.random = () => 1_000
  })
  await connection.block()
  await expect(page.getByText(/Next try in \d{3} s\./)).toBeVisible()
  connection.set({ isBlocked: false })
  await page.getByRole('button', { name: 'Try now' }).click()
  await waitUntilLive(page)
  await expect(page.getByRole('button', { name: 'Try now' })).toHaveCount(0)
})

test("A11Y-4 the focus moves to the message field when the focused button 'Try now' disappears", async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const tryNow = page.getByRole('button', { name: 'Try now' })
  await connection.block()
  await tryNow.focus()
  connection.set({ isBlocked: false })
  await page.keyboard.press('Enter')
  await waitUntilLive(page)
  await expect(tryNow).toHaveCount(0)
  await expect(room(page).message).toBeFocused()
})

test('LAYOUT-8 neither the countdown of a lost connection nor its button wraps', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const connection = await interceptConnection(page)
  await enterRoom(page)
  // The back-off is random. Make it so long that the countdown stays.
  await page.evaluate(() => {
    Math.random = () => 1_000
  })
  await connection.block()
  const countdown = page.getByText(/^\d{3} s\.$/)
  const tryNow = page.getByRole('button', { name: 'Try now' })
  await expect(countdown).toBeVisible()
  // At some of these widths the whole notice does not fit into one line, and could wrap between number and unit.
  for (let width = 320; width <= 420; width += 4) {
    await page.setViewportSize({ width, height: 844 })
    await expect(countdown).toBeVisible()
    for (const text of [countdown, tryNow]) {
      const tops = await text.evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return [...range.getClientRects()].map(({ top }) => top)
      })
      expect(new Set(tops).size).toBe(1)
    }
  }
})

test("CONNECTION-1 the page shows 'Offline' at once, before the connection detects the loss", async ({ page }) => {
  await enterRoom(page)
  await page.context().setOffline(true)
  // Without the browser's event the page would detect the loss only after a ping timeout of 18 s.
  await expect(page.getByRole('status').filter({ hasText: 'Offline' })).toBeVisible({ timeout: 5_000 })
  await page.context().setOffline(false)
  await waitUntilLive(page)
  await sendMessage(page, 'back again')
})

test('DELIVERY-4 a page of an empty log shows a gap when another log has replaced it', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  await enterRoom(page, server.url)
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await server.deleteData()
  await server.start()
  await waitUntilLive(page)
  await sendMessage(page, 'the first word')
  await expect(room(page).entries).toHaveText([/Some messages may be missing here/, / : the first word$/])
})

test("RT-6 the page shows 'Offline' separately, and reconnects at once when it is online again", async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await page.context().setOffline(true)
  await connection.block()
  await expect(page.getByRole('status').filter({ hasText: 'Offline' })).toBeVisible()
  await expect(page.getByText('You are offline. Your text is kept.')).toBeVisible()
  connection.set({ isBlocked: false })
  await page.context().setOffline(false)
  await waitUntilLive(page)
})

test("RT-6 a graceful restart is shown as 'Restarting', and the page reconnects", async ({ page, startServer }) => {
  const server = await startServer()
  await enterRoom(page, server.url)
  await sendMessage(page, 'before')
  const terminated = server.terminate()
  await expect(page.getByRole('status').filter({ hasText: 'Restarting' })).toBeVisible()
  await terminated
  await server.start()
  await waitUntilLive(page)
  await sendMessage(page, 'after')
  await expect(room(page).entries).toHaveCount(2)
})

test('DELIVERY-4 a gap that the log cannot replay is shown in the list, and the numbering continues', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  await enterRoom(page, server.url)
  await sendMessage(page, 'before')
  // The acknowledgement can clear the field before the message arrives, so wait until the list contains the message.
  await expect(room(page).entries).toHaveCount(1)
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  // A new log has a new epoch, so the server cannot replay the missed messages.
  await server.deleteData()
  await server.start()
  await waitUntilLive(page)
  const { entries } = room(page)
  await expect(entries).toHaveCount(2)
  await expect(entries.last()).toHaveText('Some messages may be missing here')
  await expect(entries.last()).toHaveCSS('list-style-type', 'none')
  await sendMessage(page, 'after')
  await expect(entries).toHaveCount(3)
  expect(await entries.last().evaluate((item) => (item as HTMLLIElement).value)).toBe(2)
})
