import type { Page } from '@playwright/test'
import { waitForStableLayout } from './layout-checks.ts'
import { expect } from './fixtures.ts'
import { enterRoom, room } from '../support/room-page.ts'
import { connectClient, numberedTexts } from '../support/socket-client.ts'

export { noLimits } from '../support/application.ts'

/** Enters the room and waits until the list shows the given number of messages, which another client sends at once. */
export async function enterRoomWithMessages(page: Page, url: string, count: number) {
  await enterRoom(page, url)
  const ann = await connectClient(url, 'ann')
  await ann.sendAll(numberedTexts(count))
  ann.disconnect()
  await expect(room(page).entries).toHaveCount(count)
}

export const distanceFromEnd = (page: Page) =>
  room(page).list.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight)

export const expectAtEnd = (page: Page) => expect.poll(() => distanceFromEnd(page)).toBeLessThan(5)

/** Waits until a flood has ended. The list replaces its entries during and right after a flood, which undoes scrolling. */
export async function waitForFloodEnd(page: Page) {
  await expect(room(page).list).not.toHaveAttribute('data-renderer', 'newest')
  await waitForStableLayout(page)
}

/** Returns the texts of the entries of which at least a part is in view, in order. */
export const textsInView = (page: Page) =>
  room(page).list.evaluate((list) => {
    const view = list.getBoundingClientRect()
    return [...list.querySelectorAll('li')]
      .filter((item) => {
        const { top, bottom } = item.getBoundingClientRect()
        return bottom > view.top + 1 && top < view.bottom - 1
      })
      .map((item) => item.textContent ?? '')
  })

/** Selects the whole page, copies it and returns the copied text. */
export async function copyAll(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await room(page).list.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('ControlOrMeta+c')
  return page.evaluate(() => navigator.clipboard.readText())
}
