import { expect, type Page } from '@playwright/test'

/** Locators of the room by their visible texts and roles. */
export const room = (page: Page) => ({
  onlineTitle: page.getByRole('heading', { name: /^Online Users Socket Id \[\d+\]$/ }),
  onlineList: page.getByRole('region', { name: /^Online Users Socket Id/ }),
  onlineIds: page.getByRole('region', { name: /^Online Users Socket Id/ }).locator('ol > li'),
  customName: page.getByLabel('Set custom username', { exact: true }),
  message: page.getByLabel('Message', { exact: true }),
  send: page.getByRole('button', { name: 'Send', exact: true }),
  list: page.getByRole('region', { name: 'Messeges', exact: true }),
  outbox: page.getByRole('list', { name: 'Not sent yet' }).getByRole('listitem'),
  entries: page.getByRole('region', { name: 'Messeges', exact: true }).locator('ol > li'),
})

export async function enterRoom(page: Page, url = '/') {
  await page.goto(url)
  await waitUntilLive(page)
}

export async function waitUntilLive(page: Page) {
  await expect(page.locator('[data-connection=live]')).toBeVisible()
}

/** Sends a message and waits for its acknowledgement, which clears the input. */
export async function sendMessage(page: Page, text: string) {
  const { message, send } = room(page)
  await message.fill(text)
  await send.click()
  await expect(message).toHaveValue('')
}

/** Sends each text without waiting for the acknowledgement of the previous text. */
export async function sendEach(page: Page, ...texts: string[]) {
  const { message } = room(page)
  for (const text of texts) {
    await message.fill(text)
    await message.press('Enter')
  }
}

/** Sends texts by input and submit events inside the page, which is faster than typing each of them. */
export async function submitEach(page: Page, texts: string[]) {
  await room(page).message.evaluate(async (field, all) => {
    for (const text of all) {
      // React replaces the setter of the element; the setter of the prototype lets React detect the change.
      Reflect.set(Object.getPrototypeOf(field) as object, 'value', text, field)
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.closest('form')?.requestSubmit()
      await new Promise((resolve) => setTimeout(resolve))
    }
  }, texts)
}

export const entryPattern = (username: string, message: string) => {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^\\[[^\\]]+\\] ${literal(username)} : ${literal(message)}$`)
}
