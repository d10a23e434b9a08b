import { alertsOf, fillLogin, logIn, registerAccount, dialogTypesOf } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { layLine } from './line.ts'
import { enterRoom, entryPattern, live, pressEach, room, say } from '../support/room-page.ts'

test('OUTBOX-1 four lines typed in a row on a slow line are four messages, in order', async ({ page }) => {
  const line = await layLine(page)
  await enterRoom(page)
  line.set({ delayMs: 350 })
  await room(page).message.click()
  for (const word of ['alpha', 'bravo', 'charlie', 'delta']) {
    await page.keyboard.type(word)
    await page.keyboard.press('Enter')
  }
  await expect(room(page).entries).toHaveText([/ : alpha$/, / : bravo$/, / : charlie$/, / : delta$/])
  await expect(room(page).message).toHaveValue('')
  await expect(room(page).outbox).toHaveCount(0)
})

test('OUTBOX-1 what is sent while the server is away, each over the last, all arrives, in order', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  await enterRoom(page, server.url)
  const { entries, outbox, message } = room(page)
  await server.kill()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await pressEach(page, 'one', 'two', 'three')
  await message.press('Enter')
  await expect(outbox).toHaveText([/^one.*Waiting for the connection.*Take back/, /^two/])
  await expect(message).toHaveValue('three')
  await server.start()
  await live(page)
  await expect(entries).toHaveText([/ : one$/, / : two$/, / : three$/])
  await expect(message).toHaveValue('')
  await expect(outbox).toHaveCount(0)
})

test('OUTBOX-2 what waits moves to a row as soon as somebody types on, edits or replaces it', async ({ page }) => {
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  line.set({ dropsMessages: true })
  await message.fill('first')
  await message.press('Enter')
  await expect(page.getByText('Sending…')).toBeVisible()
  await expect(outbox).toHaveCount(0)
  await page.keyboard.type(' more')
  await expect(message).toHaveValue(' more')
  await expect(outbox).toHaveText([/^first/])
  await message.press('Enter')
  await message.press('Backspace')
  await expect(message).toHaveValue(' mor')
  await message.fill('other')
  await expect(outbox).toHaveText([/^first/, /^ more/])
  // The first has been handed to the connection, the second not.
  await expect(outbox.first().getByRole('button')).toHaveCount(0)
  await expect(outbox.last().getByRole('button', { name: 'Take back' })).toBeVisible()
  line.set({ dropsMessages: false })
  await line.cut()
  line.set({ isCut: false })
  await expect(entries).toHaveText([/ : first$/, / :  more$/])
  await expect(message).toHaveValue('other')
})

test('OUTBOX-2 what is typed before a text that waits is not mixed with it', async ({ page }) => {
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  line.set({ dropsMessages: true })
  await message.fill('first')
  await message.press('Enter')
  await message.press('Home')
  await page.keyboard.type('second')
  await expect(message).toHaveValue('second')
  await expect(outbox).toHaveText([/^first/])
  await message.press('Enter')
  line.set({ dropsMessages: false })
  await expect(entries).toHaveText([/ : first$/, / : second$/])
})

test('OUTBOX-3 a hundred messages wait and no more: the press says why, and the text stays', async ({ page }) => {
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox } = room(page)
  await line.cut()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  for (let number = 1; number <= 101; number++) await pressEach(page, `message ${number}`)
  await expect(outbox).toHaveCount(100)
  await expect(message).toHaveValue('message 101')
  await expect(page.getByText('100 messages are waiting. Wait until some are sent.')).toBeVisible()
  await outbox.last().getByRole('button', { name: 'Take back' }).click()
  line.set({ isCut: false })
  await expect(room(page).entries).toHaveCount(99, { timeout: 180_000 })
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await message.press('Enter')
  await expect(room(page).entries.last()).toHaveText(/ : message 101$/)
})

test('OUTBOX-5 a waiting message is taken back by the keyboard, is not sent, and can be sent after all', async ({
  page,
}) => {
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  await line.cut()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await pressEach(page, 'one', 'two', 'three')
  await message.fill('four')
  await expect(outbox).toHaveCount(3)
  await expect(page.locator('output', { hasText: 'Not sent yet: three' })).toBeAttached()
  await outbox.nth(1).getByRole('button', { name: 'Take back' }).press('Enter')
  await expect(message).toBeFocused()
  await expect(outbox.nth(1)).toContainText('Not sent')
  await message.fill('')
  await outbox.nth(2).getByRole('button', { name: 'Take back' }).press('Enter')
  await expect(message).toHaveValue('three')
  line.set({ isCut: false })
  await live(page)
  await expect(entries).toHaveText([/ : one$/])
  await expect(outbox).toHaveCount(1)
  await outbox.getByRole('button', { name: 'Send' }).click()
  await expect(entries).toHaveText([/ : one$/, / : two$/])
  await expect(message).toHaveValue('three')
})

test('OUTBOX-5 what was dismissed comes back as it was, the last first, until something else is sent', async ({
  page,
}) => {
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  await line.cut()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await pressEach(page, 'one', 'two')
  await message.fill('three')
  // So small that the rows are scrolled to: a button must not move away while it is pressed.
  await page.setViewportSize({ width: 320, height: 256 })
  for (const text of ['one', 'two']) {
    await page.getByRole('button', { name: `Take back: ${text}`, exact: true }).click()
    await page.getByRole('button', { name: `Dismiss: ${text}`, exact: true }).click()
  }
  await expect(outbox).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo: two' }).press('Enter')
  await expect(message).toBeFocused()
  await page.getByRole('button', { name: 'Undo: one' }).click()
  await expect(outbox).toHaveText([/^two.*Not sent/, /^one.*Not sent/])
  await page.getByRole('button', { name: 'Dismiss: one' }).click()
  line.set({ isCut: false })
  await live(page)
  await page.getByRole('button', { name: 'Send: two' }).click()
  await expect(entries).toHaveText([/ : two$/])
  await expect(message).toHaveValue('three')
  await message.press('Enter')
  await expect(entries).toHaveText([/ : two$/, / : three$/])
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
})

test('OUTBOX-6 a reload keeps the draft, the name and what waits, and asks before it leaves while something does', async ({
  page,
}) => {
  const dialogs = dialogTypesOf(page)
  const line = await layLine(page)
  await enterRoom(page)
  const { message, customName, outbox, entries } = room(page)
  await customName.fill('ann')
  await say(page, 'stored')
  await page.reload()
  await live(page)
  expect(dialogs).toEqual([])
  await expect(customName).toHaveValue('ann')
  line.set({ dropsMessages: true })
  await pressEach(page, 'handed', 'queued')
  await message.fill('half a')
  await expect(outbox).toHaveText([/^handed/, /^queued/])
  await line.cut()
  await page.reload()
  expect(dialogs).toEqual(['beforeunload'])
  await expect(message).toHaveValue('half a')
  await expect(outbox).toHaveText([/^handed/, /^queued/])
  line.set({ dropsMessages: false, isCut: false })
  await expect(entries).toHaveText([
    entryPattern('ann (not loggedin)', 'handed'),
    entryPattern('ann (not loggedin)', 'queued'),
  ])
  await expect(message).toHaveValue('half a')
  await message.fill('')
  await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage))).toEqual(['chat-room.name'])
})

test('OUTBOX-4 a refusal after the text was edited away comes back into reach with its reason; what waits behind it goes on', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer()
  const line = await layLine(page)
  await enterRoom(page, server.url)
  const { message, outbox, entries } = room(page)
  await say(page, 'before')
  line.set({ dropsMessages: true })
  await pressEach(page, 'refused', 'goes on')
  await message.fill('a draft')
  // Another log: whether the first was stored in the old one cannot be told any more.
  await server.kill()
  await server.forget()
  line.set({ dropsMessages: false })
  await server.start()
  await live(page)
  await expect(entries.last()).toHaveText(/ : goes on$/)
  await expect(outbox).toHaveCount(1)
  await expect(outbox).toHaveAttribute('data-state', 'refused')
  await expect(page.locator('output', { hasText: 'Not sent: refused.' })).toBeAttached()
  await expect(message).toHaveValue('a draft')
  await outbox.getByRole('button', { name: 'Edit' }).click()
  await expect(message).toHaveValue('refused')
  // The draft that stood in its way is kept.
  await expect(outbox).toHaveText([/^a draft.*Not sent/])
  await message.press('Enter')
  await expect(entries.last()).toHaveText(/ : refused$/)
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await expect(outbox).toHaveCount(0)
})

test('DELIVERY-6 what was not acknowledged before a login waits in the hands of the user', async ({
  page,
  application,
}) => {
  alertsOf(page)
  const account = await registerAccount(application.url)
  const line = await layLine(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  line.set({ dropsMessages: true })
  await pressEach(page, 'one', 'two')
  await message.fill('three')
  await logIn(page, account)
  line.set({ dropsMessages: false })
  await live(page)
  await expect(outbox).toHaveText([/^one.*may have arrived/, /^two.*Not sent/])
  await message.press('Enter')
  await expect(entries).toHaveText([entryPattern(account.name, 'three')])
  await outbox.first().getByRole('button', { name: 'Send' }).click()
  await expect(entries).toHaveText([entryPattern(account.name, 'three'), entryPattern(account.name, 'one')])
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await expect(outbox).toHaveCount(0)
  await expect(entries).toHaveCount(2)
})

test('WRITING-5 an error about the name goes with the name, and a refused token is said', async ({
  page,
  ownServer,
}) => {
  alertsOf(page)
  const server = await ownServer()
  const account = await registerAccount(server.url)
  await enterRoom(page, server.url)
  await room(page).customName.fill('n'.repeat(65))
  await expect(page.getByText(/Name too long/)).toBeVisible()
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await fillLogin(page, account.name, account.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`username : ${account.name}`)).toBeVisible()
  await expect(page.getByText(/Name too long|is the most/)).toHaveCount(0)
  await server.kill()
  await server.forget()
  await server.start()
  await expect(page.getByText('Your login is no longer valid. You are anonymous again.')).toBeVisible()
  await room(page).customName.fill('ann')
  await expect(page.getByText(/Name too long/)).toHaveCount(0)
  await say(page, 'as ann')
  await expect(page.getByText('Your login is no longer valid')).toHaveCount(0)
})
