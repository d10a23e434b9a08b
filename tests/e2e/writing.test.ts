import type { Locator } from '@playwright/test'
import { maxMessageCharacters, maxNameCharacters } from '../../contract/limits.ts'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

const tooLong = (count: number) =>
  `Too long: ${count.toLocaleString('en')} of ${maxMessageCharacters.toLocaleString('en')} characters`

/** Returns the accessible description. Playwright's own matcher ignores the text of an `output`. */
const descriptionOf = (field: Locator) =>
  field.evaluate((input) => {
    const ids = input.getAttribute('aria-describedby')?.split(' ') ?? []
    return ids.map((id) => document.getElementById(id)?.textContent).join(' ')
  })

test('WRITING-1 the number of remaining characters is shown near the limit', async ({ page }) => {
  await enterRoom(page)
  const { message } = room(page)
  await message.fill('x'.repeat(maxMessageCharacters - 300))
  await expect(page.getByText(/characters? left/)).toHaveCount(0)
  await message.fill('x'.repeat(maxMessageCharacters - 1))
  await expect(page.getByText('1 character left', { exact: true })).toBeVisible()
  await message.press('End')
  await message.press('y')
  await expect(page.getByText('0 characters left', { exact: true })).toBeVisible()
  await message.press('z')
  await expect(page.getByText(tooLong(maxMessageCharacters + 1), { exact: true })).toBeVisible()
})

test('WRITING-1 a pasted text that is too long is kept and counted, and cannot be sent until it is shortened', async ({
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await enterRoom(page)
  const { message, entries, send } = room(page)
  await message.fill('before after')
  await message.evaluate((input: HTMLInputElement) => input.setSelectionRange(7, 7))
  const pasted = 'p'.repeat(maxMessageCharacters + 1_000)
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted)
  await page.keyboard.press('ControlOrMeta+v')
  await expect(page.getByText(tooLong(pasted.length + 12), { exact: true })).toBeVisible()
  await expect(message).toHaveValue(`before ${pasted}after`)
  await expect(message).toHaveAttribute('aria-invalid', 'true')
  await expect.poll(() => descriptionOf(message)).toContain('Too long')
  await send.click()
  await expect(message).toHaveValue(`before ${pasted}after`)
  await expect(entries).toHaveCount(0)

  await message.fill('before and after')
  await expect(page.getByText('Too long')).toHaveCount(0)
  await expect(message).toHaveAttribute('aria-invalid', 'false')
  await message.press('Enter')
  await expect(entries).toHaveText([/before and after$/])
})

test('WRITING-1 a message of maximum length arrives complete', async ({ page }) => {
  await enterRoom(page)
  const longest = '😀'.repeat(maxMessageCharacters)
  await sendMessage(page, longest)
  expect(await room(page).entries.first().textContent()).toContain(longest)
})

test('WRITING-1 a custom name that is too long is kept and counted, and shows why nothing is sent', async ({
  page,
}) => {
  await enterRoom(page)
  const { customName } = room(page)
  await customName.fill('n'.repeat(maxNameCharacters))
  await customName.press('End')
  await customName.press('m')
  await expect(customName).toHaveValue(`${'n'.repeat(maxNameCharacters)}m`)
  await expect(
    page.getByText(`Name too long: ${maxNameCharacters + 1} of ${maxNameCharacters} characters`, { exact: true }),
  ).toBeVisible()
  await expect(customName).toHaveAttribute('aria-invalid', 'true')
  await expect.poll(() => descriptionOf(customName)).toContain('too long')
  await room(page).message.fill('hello')
  await room(page).send.click()
  await expect(room(page).entries).toHaveCount(0)
  await customName.press('End')
  await page.keyboard.press('Backspace')
  await expect(page.getByText('too long')).toHaveCount(0)
  await sendMessage(page, 'hello')
  await expect(room(page).entries).toHaveCount(1)
})

test('SEND-1 an empty name field is marked as invalid without a text, before and after a press of Send', async ({
  page,
}) => {
  await enterRoom(page)
  const { customName, message, send, entries } = room(page)
  const borderColor = () => customName.evaluate((input) => getComputedStyle(input).borderColor)
  await message.fill('hello')
  await expect(customName).toHaveAttribute('aria-invalid', 'false')
  const danger = await page.evaluate(() => {
    const sample = document.createElement('span')
    sample.style.color = 'var(--danger)'
    document.body.append(sample)
    const { color } = getComputedStyle(sample)
    sample.remove()
    return color
  })
  const [textBefore, borderBefore] = [await page.getByRole('main').innerText(), await borderColor()]
  for (const empty of ['', '  ']) {
    await customName.fill(empty)
    await message.focus()
    await expect(customName).toHaveAttribute('aria-invalid', 'true')
    await expect.poll(borderColor).toBe(danger)
    await send.click()
    await expect(customName).toHaveAttribute('aria-invalid', 'true')
    await expect.poll(borderColor).toBe(danger)
    expect(await page.getByRole('main').innerText()).toBe(textBefore)
    await expect(entries).toHaveCount(0)
  }
  await customName.fill('ann')
  await message.focus()
  await expect(customName).toHaveAttribute('aria-invalid', 'false')
  await expect.poll(borderColor).toBe(borderBefore)
})

test('LAYOUT-11 Arabic text is right-aligned while it is typed', async ({ page }) => {
  await enterRoom(page)
  const { message } = room(page)
  const direction = () => message.evaluate((input) => getComputedStyle(input).direction)
  await message.pressSequentially('مرحبا')
  expect(await direction()).toBe('rtl')
  await message.fill('hello')
  expect(await direction()).toBe('ltr')
})

test('WRITING-7 a pasted image shows that only text can be sent, until the text changes', async ({ page }) => {
  await enterRoom(page)
  const { message } = room(page)
  const paste = (type: 'image' | 'text') =>
    message.evaluate((input, pastedType) => {
      const clipboardData = new DataTransfer()
      if (pastedType === 'image') clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
      else clipboardData.setData('text/plain', 'x')
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, type)
  const notice = page.getByText('Only text can be sent', { exact: true })
  await message.fill('a cat')
  await paste('text')
  await expect(notice).toHaveCount(0)
  await paste('image')
  await expect(notice).toBeVisible()
  await expect(message).toHaveValue('a cat')
  await message.press('End')
  await message.press('!')
  await expect(notice).toHaveCount(0)
  await paste('image')
  await expect(notice).toBeVisible()
  await message.press('Enter')
  await expect(room(page).entries).toHaveText([/ : a cat!$/])
  await expect(notice).toHaveCount(0)
})

test('WRITING-7 a pasted text far above the limit is cut, and the page shows a notice', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await enterRoom(page)
  const { message } = room(page)
  await message.fill('before after')
  await message.evaluate((input: HTMLInputElement) => input.setSelectionRange(7, 7))
  await page.evaluate(() => navigator.clipboard.writeText('p'.repeat(910_000)))
  await page.keyboard.press('ControlOrMeta+v')
  const cut = 10 * maxMessageCharacters
  await expect(page.getByText(`${tooLong(cut)}. The rest was cut off.`, { exact: true })).toBeVisible()
  await expect(message).toHaveValue(`before ${'p'.repeat(cut - 12)}after`)
  for (const _ of 'ab') await message.press('Backspace')
  await expect(page.getByText(tooLong(cut - 2), { exact: true })).toBeVisible()
})

for (const hasTouch of [false, true]) {
  test(`CHAT-4 a ${hasTouch ? 'tap' : 'click'} selects the default name for replacement, but not a chosen name`, async ({
    openVisitor,
  }) => {
    const page = await openVisitor({ hasTouch })
    await enterRoom(page)
    const { customName, message } = room(page)
    const activate = () => (hasTouch ? customName.tap() : customName.click())
    await activate()
    await page.keyboard.type('ann')
    await expect(customName).toHaveValue('ann')
    await message.focus()
    await activate()
    await page.keyboard.press('End')
    await page.keyboard.type('a')
    await expect(customName).toHaveValue('anna')
  })
}

test('WRITING-2 draft and custom name are kept when the user visits another screen', async ({ page }) => {
  await enterRoom(page)
  const { message, customName } = room(page)
  await customName.fill('ann')
  await message.fill('half a thou')
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
  await page.goBack()
  await expect(message).toHaveValue('half a thou')
  await expect(customName).toHaveValue('ann')
})

test('WRITING-3 a rate-limited message shows a countdown and is sent automatically', async ({ page, startServer }) => {
  const server = await startServer({ MESSAGES_PER_SECOND: '0.2' })
  await enterRoom(page, server.url)
  const { message, send, entries } = room(page)
  await sendMessage(page, 'one')
  await sendMessage(page, 'two')
  await message.fill('three')
  await send.click()
  await expect(page.getByText(/Trying again in \d+ s/)).toBeVisible()
  await expect(message).toHaveValue('three')
  await expect(entries).toHaveCount(3)
  await expect(message).toHaveValue('')
})

test('WRITING-4 text typed while a message is being sent stays', async ({ page }) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const { message, send, entries } = room(page)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await message.fill('sent')
  await send.click()
  await message.press('End')
  await page.keyboard.type(' typed ahead')
  await connection.unblock()
  await waitUntilLive(page)
  await expect(entries).toHaveText([/ : sent$/])
  await expect(message).toHaveValue(' typed ahead')
})
