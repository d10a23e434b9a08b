import { expect, test } from './fixtures.ts'
import { enterRoom, entryPattern, live, room, say } from '../support/room-page.ts'

test('RT-6 the server is killed: the page says so, keeps what was typed, and comes back by itself', async ({
  page,
  visitor,
  ownServer,
}) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  const other = await visitor()
  await enterRoom(other, server.url)
  await say(page, 'before')

  await server.kill()
  await expect(page.getByRole('status').filter({ hasText: 'Reconnecting' })).toBeVisible()
  await expect(page.getByText('The connection is lost. What you write is kept.')).toBeVisible()
  const { message, send, entries } = room(page)
  await message.fill('while away')
  await send.click()
  await expect(page.getByText('Waiting for the connection', { exact: true })).toBeVisible()
  await expect(message).toHaveValue('while away')

  await server.start()
  await live(page)
  await expect(message).toHaveValue('')
  const expected = ['before', 'while away'].map((text) => entryPattern('anonymous (not loggedin)', text))
  await expect(entries).toHaveText(expected)
  await expect(room(other).entries).toHaveText(expected)

  const late = await visitor()
  await enterRoom(late, server.url)
  await expect(late.locator('section', { hasText: 'Messeges' }).getByText('Fetching ... ')).toBeVisible()
  await expect(room(late).entries).toHaveCount(0)
})

test("RT-6 'Try now' does not wait for the next try", async ({ page, ownServer }) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  // The wait before the next try is drawn at random: let it be drawn so long that only the button can end it.
  await page.evaluate(() => {
    Math.random = () => 1_000
  })
  await server.kill()
  await expect(page.getByText(/Next try in \d{3} s\./)).toBeVisible()
  await server.start()
  await page.getByRole('button', { name: 'Try now' }).click()
  await live(page)
  await expect(page.getByRole('button', { name: 'Try now' })).toHaveCount(0)
})

test('CONNECTION-1 offline is said at once, while the connection does not know it yet', async ({ page }) => {
  await enterRoom(page)
  await page.context().setOffline(true)
  // The server's silence would tell only after its ping is 18 s late.
  await expect(page.getByRole('status').filter({ hasText: 'Offline' })).toBeVisible({ timeout: 5_000 })
  await page.context().setOffline(false)
  await live(page)
  await say(page, 'back again')
})

test('DELIVERY-4 no gap is said where nothing had been said before and nothing has been said since', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await server.forget()
  await server.start()
  await live(page)
  await say(page, 'the first word')
  await expect(room(page).entries).toHaveText([/ : the first word$/])
})

test('RT-6 offline is said apart, and coming online again reconnects at once', async ({ page, ownServer }) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  await page.context().setOffline(true)
  await server.kill()
  await expect(page.getByRole('status').filter({ hasText: 'Offline' })).toBeVisible()
  await expect(page.getByText('You are offline. What you write is kept.')).toBeVisible()
  await server.start()
  await page.context().setOffline(false)
  await live(page)
})

test('RT-6 a restart on purpose is said as such, and passes by', async ({ page, ownServer }) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  await say(page, 'before')
  const ended = server.terminate()
  await expect(page.getByRole('status').filter({ hasText: 'Restarting' })).toBeVisible()
  await ended
  await server.start()
  await live(page)
  await say(page, 'after')
  await expect(room(page).entries).toHaveCount(2)
})

test('DELIVERY-4 what the log cannot bridge is said in the list, and numbering goes on', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  await say(page, 'before')
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  // Another log is born with an epoch of its own: nothing can be bridged.
  await server.forget()
  await server.start()
  await live(page)
  const { entries } = room(page)
  await expect(entries).toHaveCount(2)
  await expect(entries.last()).toHaveText('Some messages were missed while you were offline')
  await expect(entries.last()).toHaveCSS('list-style-type', 'none')
  await say(page, 'after')
  await expect(entries).toHaveCount(3)
  expect(await entries.last().evaluate((item) => (item as HTMLLIElement).value)).toBe(2)
})
