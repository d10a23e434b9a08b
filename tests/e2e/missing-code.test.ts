import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { collectDialogTypes } from '../support/accounts.ts'
import { enterRoom, room, sendMessage, waitUntilLive } from '../support/room-page.ts'

test('OUTBOX-9 a page that reloads because its code is missing shows no confirmation dialog, and keeps queued messages and draft', async ({
  page,
}) => {
  const dialogs = collectDialogTypes(page)
  let isMissing = true
  await page.route('**/assets/register-screen-*.js', (route) =>
    isMissing ? route.fulfill({ status: 404 }) : route.continue(),
  )
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await connection.block()
  await expect(page.locator('[data-connection=lost]')).toBeAttached()
  const { message, outbox, entries } = room(page)
  await message.fill('waits')
  await message.press('Enter')
  await message.fill('half a sentence')
  await expect(outbox).toHaveCount(1)

  const loaded = page.waitForEvent('load')
  page.on('request', (request) => (isMissing &&= !request.isNavigationRequest()))
  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await loaded
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  expect(dialogs).toEqual([])

  await page.getByRole('link', { name: 'Chat Room' }).click()
  await expect(outbox).toHaveText([/waits/])
  await expect(message).toHaveValue('half a sentence')
  await connection.unblock()
  await expect(entries).toHaveText([/ : waits$/])
  await expect(message).toHaveValue('half a sentence')
  expect(dialogs).toEqual([])
})

test('NAV-6 a page opens every screen while it is offline, because it loads their code soon after it connects', async ({
  page,
}) => {
  // The page fetches all files of a screen before it imports the screen as a script.
  const imported = (screen: string) =>
    page.waitForEvent('requestfinished', (request) => {
      return request.resourceType() === 'script' && request.url().includes(`/assets/${screen}-screen-`)
    })
  const preloaded = Promise.all(['register', 'login', 'users'].map(imported))
  await enterRoom(page)
  await sendMessage(page, 'still here')
  await preloaded
  await page.context().setOffline(true)
  await expect(page.locator('[data-connection=offline]')).toBeVisible()

  for (const [link, heading] of [
    ['Register', 'Create an account'],
    ['Login', 'Login to your account'],
    ['Chat Room', 'Messeges'],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).click()
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  }
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  await expect(page).toHaveURL('/')
  await expect(room(page).entries).toHaveText([/ : still here$/])
})

test('NAV-6 a screen whose code is unreachable shows a notice and opens after a reconnect, and the room keeps its content', async ({
  page,
}) => {
  let isUnreachable = true
  await page.route('**/assets/register-screen-*.js', (route) => (isUnreachable ? route.abort() : route.continue()))
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  await sendMessage(page, 'before')
  await connection.block()
  await expect(page.locator('[data-connection=lost]')).toBeAttached()
  const { message, outbox, entries } = room(page)
  const register = page.getByRole('link', { name: 'Register', exact: true })
  const wayBack = page.getByRole('link', { name: 'Go to the chat room' })

  await register.click()
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('It opens when the connection is back.')
  await wayBack.click()
  await message.fill('waits')
  await message.press('Enter')
  await message.fill('half a sentence')
  await register.click()
  await wayBack.focus()

  isUnreachable = false
  await connection.unblock()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  await page.getByRole('link', { name: 'Chat Room' }).click()
  await expect(outbox).toHaveCount(0)
  await expect(entries).toHaveText([/ : before$/, / : waits$/])
  await expect(message).toHaveValue('half a sentence')
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
})

test('OPERATING-4 a room whose code is missing asks for a reload, which keeps the draft', async ({ page }) => {
  let requests = 0
  await page.route('**/assets/message-scroller-*.js', (route) => {
    requests++
    return route.fulfill({ status: 404 })
  })
  await enterRoom(page)
  await room(page).message.fill('half a sentence')
  await expect(page.getByRole('alert')).toHaveText('This page is out of date. Reload it to use all of it.')
  expect(await violations(page)).toEqual([])
  expect(requests).toBe(1)
  await page.unroute('**/assets/message-scroller-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await waitUntilLive(page)
  await expect(room(page).message).toHaveValue('half a sentence')
  await sendMessage(page, 'all of it')
  await expect(room(page).entries).toHaveText([/ : all of it$/])
})

test('BROWSERS-2 a page whose code is still missing after a reload shows a notice with a reload button', async ({
  page,
}) => {
  await page.route('**/assets/register-screen-*.js', (route) => route.fulfill({ status: 404 }))
  await page.goto('/register')
  await expect(page.getByRole('alert')).toContainText('Please reload the page.')
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)

  await page.unroute('**/assets/register-screen-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
})
