import type { Page } from '@playwright/test'
import { collectAlerts, fillLogin, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, entryPattern, room, waitUntilLive } from '../support/room-page.ts'

const question = (page: Page, name: string, otherName = 'anonymous') =>
  page.getByText(`Written as ${name}. Log in to send it as ${name}, or send it as ${otherName}`, { exact: true })

test('DELIVERY-6 after a reload a draft of an account waits, Send focuses the choice, and after a login Send sends the draft', async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  const { message, send, entries } = room(page)
  await message.fill('from my account')
  await expect(question(page, account.name)).toHaveCount(0)
  await page.reload()
  await waitUntilLive(page)
  await expect(message).toHaveValue('from my account')
  await expect(question(page, account.name)).toBeVisible()
  const link = page.getByRole('link', { name: 'Log in', exact: true })
  await message.press('Enter')
  await expect(link).toBeFocused()
  await message.focus()
  await send.click()
  await expect(link).toBeFocused()
  await expect(entries).toHaveCount(0)
  await page.keyboard.press('Enter')
  await fillLogin(page, account.name, account.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`username : ${account.name}`)).toBeVisible()
  await expect(message).toHaveValue('from my account')
  await expect(question(page, account.name)).toHaveCount(0)
  await message.press('Enter')
  await expect(entries).toHaveText([entryPattern(account.name, 'from my account')])
})

test('DELIVERY-6 a second tab asks before it sends the draft of an account, and can send it as anonymous', async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  await room(page).message.fill('in two tabs')
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open('/'))
  const second = await opened
  await waitUntilLive(second)
  const { message, entries } = room(second)
  await expect(message).toHaveValue('in two tabs')
  await message.press('End')
  await second.keyboard.type('!')
  await message.press('Enter')
  await expect(question(second, account.name)).toBeVisible()
  await expect(entries).toHaveCount(0)
  await second.getByRole('button', { name: 'send it as anonymous', exact: true }).click()
  await expect(entries).toHaveText([entryPattern('anonymous (not loggedin)', 'in two tabs!')])
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('')
  await expect(question(second, account.name)).toHaveCount(0)
})

test('DELIVERY-6 after a reload the rows of an account show their author and the name under which they would be sent', async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  const connection = await interceptConnection(page)
  await enterRoom(page)
  await logIn(page, account)
  const { message, outbox, entries, customName } = room(page)
  connection.set({ dropsMessages: true })
  for (const text of ['one', 'two']) {
    await message.fill(text)
    await message.press('Enter')
  }
  await page.reload()
  connection.set({ dropsMessages: false })
  await waitUntilLive(page)
  await expect(outbox).toHaveText([new RegExp(`^oneWritten as ${account.name}. Interrupted.*Send as anonymous`)])
  await expect(message).toHaveValue('two')
  await expect(question(page, account.name)).toBeVisible()
  await outbox.getByRole('button', { name: 'Send as anonymous' }).click()
  await expect(entries).toHaveText([entryPattern('anonymous (not loggedin)', 'one')])
  await customName.fill('Lena')
  await expect(question(page, account.name, 'Lena (not loggedin)')).toBeVisible()
  await page.getByRole('button', { name: 'send it as Lena' }).click()
  await expect(entries.last()).toHaveText(entryPattern('Lena (not loggedin)', 'two'))
})
