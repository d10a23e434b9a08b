import type { Page } from '@playwright/test'
import { collectAlerts, fillLogin, logIn, registerAccount, collectDialogTypes } from '../support/accounts.ts'
import { numberedTexts } from '../support/socket-client.ts'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import {
  enterRoom,
  entryPattern,
  waitUntilLive,
  sendEach,
  submitEach,
  room,
  sendMessage,
} from '../support/room-page.ts'

/** Enters the room and blocks the connection until `connection.unblock`. */
async function enterDisconnected(page: Page, url?: string) {
  const connection = await interceptConnection(page)
  await enterRoom(page, url)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  return { connection, ...room(page) }
}

test('OUTBOX-1 four messages typed in a row on a slow connection arrive in order', async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  connection.set({ delayMs: 350 })
  await room(page).message.click()
  for (const word of ['alpha', 'bravo', 'charlie', 'delta']) {
    await page.keyboard.type(word)
    await page.keyboard.press('Enter')
  }
  await expect(room(page).entries).toHaveText([/ : alpha$/, / : bravo$/, / : charlie$/, / : delta$/])
  await expect(room(page).message).toHaveValue('')
  await expect(room(page).outbox).toHaveCount(0)
})

test('OUTBOX-1 all messages sent while the connection is lost arrive in order', async ({ page }) => {
  const { connection, entries, outbox, message } = await enterDisconnected(page)
  await sendEach(page, 'one', 'two', 'three')
  await message.press('Enter')
  await expect(outbox).toHaveText([/^one.*Waiting for the connection.*Take back/, /^two/])
  await expect(message).toHaveValue('three')
  await connection.unblock()
  await waitUntilLive(page)
  await expect(entries).toHaveText([/ : one$/, / : two$/, / : three$/])
  await expect(message).toHaveValue('')
  await expect(outbox).toHaveCount(0)
})

test('OUTBOX-2 a sent message moves from the field to a queue row when the user types more or replaces it', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  connection.set({ dropsMessages: true })
  await message.fill('first')
  await message.press('Enter')
  await expect(page.getByText('Sending…')).toBeVisible()
  await expect(outbox).toHaveCount(0)
  await page.keyboard.type(' more')
  await expect(message).toHaveValue(' more')
  await expect(outbox).toHaveText([/^first/])
  await message.press('Enter')
  await message.fill('other')
  await expect(outbox).toHaveText([/^first/, /^ more/])
  // The client has emitted the first message but not the second.
  await expect(outbox.first().getByRole('button')).toHaveCount(0)
  await expect(outbox.last().getByRole('button', { name: 'Take back' })).toBeVisible()
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([/ : first$/, / :  more$/])
  await expect(message).toHaveValue('other')
})

test('OUTBOX-5 a correction replaces a message that was never sent, and does not replace one that was', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  connection.set({ dropsMessages: true })
  await sendEach(page, 'emited')
  await message.press('Backspace')
  await expect(message).toHaveValue('emite')
  await expect(outbox).toHaveText([/^emited/])
  await message.fill('helo')
  await message.press('Enter')
  await message.press('Backspace')
  await expect(message).toHaveValue('hel')
  await expect(outbox).toHaveText([/^emited/])
  await page.keyboard.type('lo')
  await message.press('Enter')
  await message.press('ControlOrMeta+a')
  await message.press('Delete')
  await expect(outbox).toHaveText([/^emited/, /^hello/])
  await page.keyboard.type('new')
  await message.press('Enter')
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([/ : emited$/, / : hello$/, / : new$/])
  await expect(message).toHaveValue('')
})

test('OUTBOX-5 Send with a corrected name sends a waiting message under the new name, and the page shows an earlier name', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { customName, message, outbox, entries } = room(page)
  await customName.fill('Peter')
  connection.set({ dropsMessages: true })
  await sendEach(page, 'emitted')
  await customName.fill('Paul')
  await expect(page.getByText('Written as Peter. Sending…')).toBeVisible()
  // The server may have stored the message under the old name.
  await message.press('Enter')
  await expect(page.getByText('Written as Peter. Sending…')).toBeVisible()
  await sendEach(page, 'corrected')
  await expect(outbox).toHaveText([/^emittedWritten as Peter\. Sending…/])
  await customName.fill('Mary')
  await expect(page.getByText('Written as Paul. Sending…')).toBeVisible()
  await customName.press('Enter')
  await expect(page.getByText('Written as Paul')).toHaveCount(0)
  await expect(message).toHaveValue('corrected')
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([
    entryPattern('Peter (not loggedin)', 'emitted'),
    entryPattern('Mary (not loggedin)', 'corrected'),
  ])
  await expect(message).toHaveValue('')
})

test('OUTBOX-2 text typed in front of an unacknowledged message in the field is not mixed with it', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  connection.set({ dropsMessages: true })
  await message.fill('first')
  await message.press('Enter')
  await message.press('Home')
  await page.keyboard.type('second')
  await expect(message).toHaveValue('second')
  await expect(outbox).toHaveText([/^first/])
  await message.press('Enter')
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([/ : first$/, / : second$/])
})

test('OUTBOX-2 text typed after a submit with the caret inside the text is a new message', async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, send, outbox, entries } = room(page)
  connection.set({ dropsMessages: true })
  const typeWithCaretInside = async (text: string) => {
    await page.keyboard.type(text)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
  }
  await message.click()
  await typeWithCaretInside('cakes')
  await page.keyboard.press('Enter')
  await typeWithCaretInside('tea')
  await expect(outbox).toHaveText([/^cakes/])
  await send.click()
  await page.keyboard.type('milk')
  await expect(message).toHaveValue('milk')
  await expect(outbox).toHaveText([/^cakes/, /^tea/])
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([/ : cakes$/, / : tea$/])
})

test('OUTBOX-2 a waiting message that is cleared from the field is a visible row, also below others on a phone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 450 })
  const { message, outbox } = await enterDisconnected(page)
  await sendEach(page, 'one', 'two', 'three')
  await message.press('ControlOrMeta+a')
  await message.press('Delete')
  await expect(outbox).toHaveText([/one/, /two/, /three/])
  await expect(outbox.getByRole('button', { name: 'Take back: three' })).toBeInViewport({ ratio: 1 })
})

test('OUTBOX-3 the queue holds at most 100 messages; a further send shows the reason and keeps the text', async ({
  page,
}) => {
  const { connection, message, outbox } = await enterDisconnected(page)
  await submitEach(page, numberedTexts(100))
  await sendEach(page, 'message 101')
  await expect(outbox).toHaveCount(100)
  await expect(message).toHaveValue('message 101')
  await expect(page.getByText('100 messages are waiting. Wait until some are sent.')).toBeVisible()
  await outbox.last().getByRole('button', { name: 'Take back' }).click()
  await connection.unblock()
  await expect(room(page).entries).toHaveCount(99, { timeout: 180_000 })
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await message.press('Enter')
  await expect(room(page).entries.last()).toHaveText(/ : message 101$/)
})

test('OUTBOX-5 text typed at the end of a waiting message corrects it after the user has placed the caret there', async ({
  page,
}) => {
  const { connection, message, outbox, entries } = await enterDisconnected(page)
  await sendEach(page, 'hello worl')
  await message.press('ArrowLeft')
  await message.press('End')
  await message.press('d')
  await expect(message).toHaveValue('hello world')
  await expect(outbox).toHaveCount(0)
  await message.press('Enter')
  await message.press('x')
  await expect(message).toHaveValue('x')
  await expect(outbox).toHaveText([/^hello world/])
  await message.fill('secon')
  await message.press('Enter')
  await message.click()
  await message.click()
  await message.press('End')
  await message.press('d')
  await expect(message).toHaveValue('second')
  await message.press('Enter')
  await connection.unblock()
  await expect(entries).toHaveText([/ : hello world$/, / : second$/])
})

test('OUTBOX-5 a click in a waiting message selects it, so that typed text is a new message; a second click places the caret', async ({
  page,
}) => {
  const { connection, message, outbox, entries } = await enterDisconnected(page)
  await sendEach(page, 'first message')
  await message.click()
  await page.keyboard.type('second message')
  await expect(message).toHaveValue('second message')
  await expect(outbox).toHaveText([/^first message/])
  await page.keyboard.press('Enter')
  // Two clicks at one position could count as a double click, which selects a word.
  await message.click({ position: { x: 30, y: 30 } })
  await message.click({ position: { x: 60, y: 30 } })
  await page.keyboard.type('!')
  await expect(message).toHaveValue(/^s.*!.*message$/)
  await expect(outbox).toHaveCount(1)
  await page.keyboard.press('Enter')
  await connection.unblock()
  await expect(entries).toHaveText([/ : first message$/, / : s.*!.*message$/])
})

test('OUTBOX-5 a second tap on a selected waiting message places the caret at its end', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { connection, message, outbox, entries } = await enterDisconnected(page, application.url)
  await sendEach(page, 'hello worl')
  await message.tap()
  await expect.poll(() => message.evaluate((field: HTMLTextAreaElement) => field.selectionEnd)).toBe(10)
  await message.tap()
  await page.keyboard.type('d')
  await expect(message).toHaveValue('hello world')
  await expect(outbox).toHaveCount(0)
  await message.press('Enter')
  await connection.unblock()
  await expect(entries).toHaveText([/ : hello world$/])
})

test('OUTBOX-5 a queued message taken back by keyboard is not sent and can be sent later', async ({ page }) => {
  const { connection, message, outbox, entries } = await enterDisconnected(page)
  await sendEach(page, 'one', 'two', 'three')
  await message.fill('four')
  await expect(outbox).toHaveCount(3)
  await expect(page.locator('output', { hasText: 'Not sent yet: three' })).toBeAttached()
  await outbox.nth(1).getByRole('button', { name: 'Take back' }).press('Enter')
  await expect(message).toBeFocused()
  await expect(outbox.nth(1)).toContainText('Not sent')
  await message.fill('')
  await outbox.nth(2).getByRole('button', { name: 'Take back' }).press('Enter')
  await expect(message).toHaveValue('three')
  await connection.unblock()
  await waitUntilLive(page)
  await expect(entries).toHaveText([/ : one$/])
  await expect(outbox).toHaveCount(1)
  await outbox.getByRole('button', { name: 'Send' }).click()
  await expect(entries).toHaveText([/ : one$/, / : two$/])
  await expect(message).toHaveValue('three')
  // The status for screen readers does not outlast the state that it describes.
  await expect(page.getByText('No messages are waiting.')).toBeAttached()
  connection.set({ dropsMessages: true })
  await message.press('Enter')
  await expect(page.getByText('Sending…')).toBeAttached()
  await expect(page.getByText('No messages are waiting.')).toHaveCount(0)
})

test("A11Y-4 the focus moves to the message field when 'Take back' disappears because the message is sent", async ({
  page,
}) => {
  const { connection, message, outbox, entries } = await enterDisconnected(page)
  await sendEach(page, 'one')
  await message.fill('two')
  await outbox.getByRole('button', { name: 'Take back' }).focus()
  await connection.unblock()
  await expect(entries).toHaveText([/ : one$/])
  await expect(outbox).toHaveCount(0)
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('two')
})

test('OUTBOX-5 Undo restores dismissed messages, the latest first, until another message is sent', async ({ page }) => {
  const { connection, message, outbox, entries } = await enterDisconnected(page)
  await sendEach(page, 'one', 'two')
  await message.fill('three')
  // On this small screen, the rows scroll. A button must not move while the user presses it.
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
  await connection.unblock()
  await waitUntilLive(page)
  await page.getByRole('button', { name: 'Send: two' }).click()
  await expect(entries).toHaveText([/ : two$/])
  await expect(message).toHaveValue('three')
  await message.press('Enter')
  await expect(entries).toHaveText([/ : two$/, / : three$/])
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
})

test('OUTBOX-6 a reload keeps draft, name and queued messages, and asks for confirmation while messages are queued', async ({
  page,
}) => {
  const dialogs = collectDialogTypes(page)
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, customName, outbox, entries } = room(page)
  await customName.fill('ann')
  await sendMessage(page, 'stored')
  await page.reload()
  await waitUntilLive(page)
  expect(dialogs).toEqual([])
  await expect(customName).toHaveValue('ann')
  connection.set({ dropsMessages: true })
  await sendEach(page, 'handed', 'queued')
  await message.fill('half a')
  await expect(outbox).toHaveText([/^handed/, /^queued/])
  await connection.block()
  await page.reload()
  expect(dialogs).toEqual(['beforeunload'])
  await expect(message).toHaveValue('half a')
  await expect(outbox).toHaveText([/^handed/, /^queued/])
  connection.set({ dropsMessages: false })
  await connection.unblock()
  await expect(entries).toHaveText([
    entryPattern('ann (not loggedin)', 'handed'),
    entryPattern('ann (not loggedin)', 'queued'),
  ])
  await expect(message).toHaveValue('half a')
  await message.fill('')
  await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage))).toEqual(['chat-room.name'])
})

test('OUTBOX-4 a message rejected after the field was edited returns as a row with its reason; queued messages are still sent', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  const connection = await interceptConnection(page)
  await enterRoom(page, server.url)
  const { message, outbox, entries } = room(page)
  await sendMessage(page, 'before')
  connection.set({ dropsMessages: true })
  await sendEach(page, 'rejected', 'goes on')
  await message.fill('a draft')
  // With a new log, the server cannot determine whether the old log contained the first message.
  await server.kill()
  await server.deleteData()
  connection.set({ dropsMessages: false })
  await server.start()
  await waitUntilLive(page)
  await expect(entries.last()).toHaveText(/ : goes on$/)
  await expect(outbox).toHaveCount(1)
  await expect(outbox).toHaveAttribute('data-state', 'refused')
  await expect(page.locator('output', { hasText: 'Not sent: rejected.' })).toBeAttached()
  await expect(message).toHaveValue('a draft')
  await outbox.getByRole('button', { name: 'Edit' }).click()
  await expect(message).toHaveValue('rejected')
  // Edit moves the previous draft to a row.
  await expect(outbox).toHaveText([/^a draft.*Not sent/])
  await message.press('Enter')
  await expect(entries.last()).toHaveText(/ : rejected$/)
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await expect(outbox).toHaveCount(0)
})

test('DELIVERY-6 messages not acknowledged before a login are kept for the user to send or dismiss', async ({
  page,
  application,
}) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, outbox, entries } = room(page)
  connection.set({ dropsMessages: true })
  await sendEach(page, 'one', 'two')
  await message.fill('three')
  await logIn(page, account)
  connection.set({ dropsMessages: false })
  await waitUntilLive(page)
  await expect(outbox).toHaveText([/^one.*may have arrived/, /^two.*Not sent/])
  await message.press('Enter')
  await expect(entries).toHaveText([entryPattern(account.name, 'three')])
  await outbox.first().getByRole('button', { name: 'Send' }).click()
  await expect(entries).toHaveText([entryPattern(account.name, 'three'), entryPattern(account.name, 'one')])
  await outbox.getByRole('button', { name: 'Dismiss' }).click()
  await expect(outbox).toHaveCount(0)
  await expect(entries).toHaveCount(2)
})

test('WRITING-5 a name error disappears with the name field, and a rejected token shows a notice', async ({
  page,
  startServer,
}) => {
  collectAlerts(page)
  const server = await startServer()
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
  await server.deleteData()
  await server.start()
  await expect(page.getByText('Your login is no longer valid. You are anonymous again.')).toBeVisible()
  await room(page).customName.fill('ann')
  await expect(page.getByText(/Name too long/)).toHaveCount(0)
  await sendMessage(page, 'as ann')
  await expect(page.getByText('Your login is no longer valid')).toHaveCount(0)
})
