import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { layLine } from './line.ts'
import { enterRoom, room } from '../support/room-page.ts'

/** An input method, as Chromium meets one: it composes in the field, and takes the keys for itself meanwhile. */
async function inputMethod(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page)
  return {
    compose: (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length }),
    /** Enter chooses what was composed; the page is told of a key that the input method has processed. */
    async enter() {
      const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
      await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key })
      await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    },
    choose: (text: string) => session.send('Input.insertText', { text }),
  }
}

test('WRITING-6 Enter that ends a composition chooses the word and sends nothing; the next Enter sends', async ({
  page,
}) => {
  await enterRoom(page)
  const { message, entries } = room(page)
  await message.click()
  const japanese = await inputMethod(page)
  await japanese.compose('に')
  await japanese.compose('にほん')
  await expect(message).toHaveValue('にほん')
  await japanese.enter()
  await expect(message).toHaveValue('にほん')
  await japanese.choose('日本')
  await japanese.compose('ご')
  await japanese.enter()
  await japanese.choose('語')
  await expect(message).toHaveValue('日本語')
  await expect(entries).toHaveCount(0)
  await message.press('Enter')
  await expect(entries).toHaveText([/ : 日本語$/])
  await expect(message).toHaveValue('')
})

test('WRITING-6 a word composed over a message that still waits is a message of its own', async ({ page }) => {
  const line = await layLine(page)
  await enterRoom(page)
  line.set({ dropsMessages: true })
  const { message, entries, outbox } = room(page)
  await message.fill('waits')
  await message.press('Enter')
  const korean = await inputMethod(page)
  await korean.compose('하')
  await korean.compose('한')
  await korean.enter()
  await expect(outbox).toHaveCount(0)
  await korean.choose('한')
  await expect(message).toHaveValue('한')
  await expect(outbox).toHaveText([/waits/])
  await message.press('Enter')
  line.set({ dropsMessages: false })
  await expect(entries).toHaveText([/ : waits$/, / : 한$/])
  await expect(message).toHaveValue('')
})
