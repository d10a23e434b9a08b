import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { collectDialogTypes } from '../support/accounts.ts'
import { enterRoom, room } from '../support/room-page.ts'

test('OUTBOX-9 a page that reloads because its code is missing does not ask, and keeps queued messages and draft', async ({
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
