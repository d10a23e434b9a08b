import { expect, test } from './fixtures.ts'
import { layLine } from './line.ts'
import { dialogTypesOf } from '../support/accounts.ts'
import { enterRoom, room } from '../support/room-page.ts'

test('OUTBOX-9 a page that must be loaded anew for its code does not ask, and keeps what waits and what was typed', async ({
  page,
}) => {
  const dialogs = dialogTypesOf(page)
  let isGone = true
  await page.route('**/assets/register-screen-*.js', (route) =>
    isGone ? route.fulfill({ status: 404 }) : route.continue(),
  )
  const line = await layLine(page)
  await enterRoom(page)
  await line.cut()
  await expect(page.locator('[data-connection=lost]')).toBeAttached()
  const { message, outbox, entries } = room(page)
  await message.fill('waits')
  await message.press('Enter')
  await message.fill('half a sentence')
  await expect(outbox).toHaveCount(1)

  const loaded = page.waitForEvent('load')
  page.on('request', (request) => (isGone &&= !request.isNavigationRequest()))
  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await loaded
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  expect(dialogs).toEqual([])

  await page.getByRole('link', { name: 'Chat Room' }).click()
  await expect(outbox).toHaveText([/waits/])
  await expect(message).toHaveValue('half a sentence')
  line.set({ isCut: false })
  await expect(entries).toHaveText([/ : waits$/])
  await expect(message).toHaveValue('half a sentence')
  expect(dialogs).toEqual([])
})
