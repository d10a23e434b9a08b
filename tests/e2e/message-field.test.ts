import type { Locator } from '@playwright/test'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoomWithMessages } from './message-list.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, room, sendMessage } from '../support/room-page.ts'

const heightOf = async (field: Locator) => Math.round((await field.boundingBox())?.height ?? Number.NaN)
const isScrollable = (field: Locator) => field.evaluate((box) => box.scrollHeight > box.clientHeight)

test('WRITING-8 Shift+Enter breaks the line, and Enter sends both lines', async ({ page }) => {
  await enterRoom(page)
  const { message, entries } = room(page)
  await message.click()
  await page.keyboard.type('first')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('second')
  await expect(message).toHaveValue('first\nsecond')
  await expect(entries).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(message).toHaveValue('')
  await expect(entries).toHaveText([/ : first\nsecond$/])
})

test('WRITING-8 pasted lines stay lines, also in the outbox of a lost connection', async ({ page }) => {
  const connection = await interceptConnection(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await enterRoom(page)
  const { message, entries } = room(page)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await page.evaluate(() => navigator.clipboard.writeText('one\r\ntwo\n\nthree'))
  await message.click()
  await page.keyboard.press('ControlOrMeta+v')
  await expect(message).toHaveValue('one\ntwo\n\nthree')
  await page.keyboard.press('Enter')
  await connection.unblock()
  await expect(entries).toHaveText([/ : one\ntwo\n\nthree$/])
})

test('WRITING-8 the field grows with wrapped text and line breaks to five lines, then scrolls, and shrinks again', async ({
  page,
  application,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await enterRoomWithMessages(page, application.url, 30)
  const { message, entries } = room(page)
  const oneLine = await heightOf(message)
  await message.fill('Too wide for one line of a phone')
  await expect.poll(() => heightOf(message)).toBe(oneLine + 24)
  for (const lines of [2, 5]) {
    await message.fill(Array.from({ length: lines }, (_, index) => `${index}`).join('\n'))
    await expect.poll(() => heightOf(message)).toBe(oneLine + (lines - 1) * 24)
    expect(await isScrollable(message)).toBe(false)
  }
  await message.fill('1\n2\n3\n4\n5\n')
  expect(await heightOf(message)).toBe(oneLine + 4 * 24)
  expect(await isScrollable(message)).toBe(true)
  // The list still shows its end.
  await expect(entries.last()).toBeInViewport({ ratio: 1 })
  await message.press('Enter')
  await expect.poll(() => heightOf(message)).toBe(oneLine)
})

for (const { width, height } of [
  { width: 390, height: 330 },
  { width: 844, height: 250 },
]) {
  test(`WRITING-8 on a screen of ${width}×${height} a long text takes at most a third of the height`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height })
    await enterRoom(page)
    await sendMessage(page, 'newest')
    const { message, entries } = room(page)
    await message.fill('line\n'.repeat(20))
    await message.focus()
    await waitForStableLayout(page)
    expect(await heightOf(message)).toBeLessThanOrEqual(height / 3)
    await expect(message).toBeInViewport({ ratio: 1 })
    await expect(entries.last()).toBeInViewport({ ratio: 1 })
  })
}

test('WRITING-8 the label stays readable above text that is scrolled', async ({ page }) => {
  await enterRoom(page)
  const { message } = room(page)
  const label = page.getByText('Message', { exact: true })
  await message.fill('first\n2\n3\n4\n5')
  // The screenshot shows neither the focus nor the caret.
  await message.blur()
  await waitForStableLayout(page)
  const before = await label.screenshot({ animations: 'disabled' })
  await message.fill('█████████\n'.repeat(20))
  await message.evaluate((field) => (field.scrollTop = 30))
  await message.blur()
  await waitForStableLayout(page)
  expect((await label.screenshot({ animations: 'disabled' })).equals(before)).toBe(true)
})

test('SPEED-6 a key changes nothing in the composer but its text', async ({ page }) => {
  await enterRoom(page)
  const { message } = room(page)
  await message.click()
  await page.keyboard.type('a')
  const changes = await page.locator('.send-panel').evaluateHandle((panel) => {
    const found: string[] = []
    new MutationObserver((records) => {
      for (const { type, attributeName } of records) found.push(`${type} ${attributeName}`)
    }).observe(panel, { attributes: true, characterData: true, childList: true, subtree: true })
    return found
  })
  await page.keyboard.type('b')
  await expect(page.locator('.message-field')).toHaveAttribute('data-text', 'ab')
  expect(await changes.jsonValue()).toEqual(['attributes data-text'])
})
