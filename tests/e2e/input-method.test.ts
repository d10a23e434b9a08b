import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { interceptConnection } from './page-connection.ts'
import { enterRoom, room } from '../support/room-page.ts'

/** Simulates an input method in Chromium: it composes text in the field and handles the keys itself. */
async function startInputMethod(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page)
  return {
    compose: (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length }),
    /** Presses Enter, as at the end of a composition. The page receives key code 229: the input method handles the key. */
    async enter() {
      const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
      await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key })
      await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    },
    commit: (text: string) => session.send('Input.insertText', { text }),
  }
}

test('WRITING-6 Enter that ends a composition commits the word and sends nothing; the next Enter sends', async ({
  page,
}) => {
  await enterRoom(page)
  const { message, entries } = room(page)
  await message.click()
  const japanese = await startInputMethod(page)
  await japanese.compose('に')
  await japanese.compose('にほん')
  await expect(message).toHaveValue('にほん')
  await japanese.enter()
  await expect(message).toHaveValue('にほん')
  await japanese.commit('日本')
  await japanese.compose('ご')
  await japanese.enter()
  await japanese.commit('語')
  await expect(message).toHaveValue('日本語')
  await expect(entries).toHaveCount(0)
  await message.press('Enter')
  await expect(entries).toHaveText([/ : 日本語$/])
  await expect(message).toHaveValue('')
})

test('WRITING-6 a word composed while a sent message is still in the field becomes a separate message', async ({
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page)
  connection.set({ dropsMessages: true })
  const { message, entries, outbox } = room(page)
  await message.fill('waits')
  await message.press('Enter')
  const korean = await startInputMethod(page)
  await korean.compose('하')
  await korean.compose('한')
  await korean.enter()
  await expect(outbox).toHaveCount(0)
  await korean.commit('한')
  await expect(message).toHaveValue('한')
  await expect(outbox).toHaveText([/waits/])
  await message.press('Enter')
  connection.set({ dropsMessages: false })
  await connection.reconnect()
  await expect(entries).toHaveText([/ : waits$/, / : 한$/])
  await expect(message).toHaveValue('')
})
