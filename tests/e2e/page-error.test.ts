import { collectDialogTypes } from '../support/accounts.ts'
import { connectClient } from '../support/socket-client.ts'
import { enterRoom, waitUntilLive, room } from '../support/room-page.ts'
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { breakRendering, brokenText, forbidStorage } from './page-faults.ts'

test('BROWSERS-2 after a rendering error a notice offers a reload that keeps the draft and the unsent messages', async ({
  page,
  application,
}) => {
  const dialogs = collectDialogTypes(page)
  await breakRendering(page)
  const connection = await interceptConnection(page)
  await enterRoom(page)
  connection.set({ dropsMessages: true })
  const { message, outbox, entries } = room(page)
  await message.fill('waits')
  await message.press('Enter')
  await message.fill('half a sentence')
  await expect(outbox).toHaveCount(1)
  const ann = await connectClient(application.url, 'ann')
  await ann.send(brokenText)
  ann.disconnect()

  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  const notice = page.getByRole('alert')
  await expect(notice).toHaveText('Please reload the page. Your draft and your unsent messages are kept.')
  expect(await violations(page)).toEqual([])
  connection.set({ dropsMessages: false })
  await page.getByRole('button', { name: 'Reload', exact: true }).click()
  await waitUntilLive(page)
  await expect(notice).toHaveCount(0)
  await expect(message).toHaveValue('half a sentence')
  await expect(entries).toHaveText([/ : waits$/])
  expect(dialogs).toEqual([])
})

test('BROWSERS-2 where storage is forbidden, the notice does not promise to keep the draft', async ({
  page,
  application,
}) => {
  await breakRendering(page)
  await forbidStorage(page)
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send(brokenText)
  ann.disconnect()
  await expect(page.getByRole('alert')).toHaveText('Please reload the page.')
  await page.getByRole('button', { name: 'Reload', exact: true }).click()
  await waitUntilLive(page)
})
