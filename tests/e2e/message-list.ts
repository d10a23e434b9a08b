import type { Page } from '@playwright/test'
import { atRest } from './fit.ts'
import { expect } from './fixtures.ts'
import { room } from '../support/room-page.ts'

/** For a server whose room a test may flood. */
export const noLimits = { MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' }

export const distanceFromEnd = (page: Page) =>
  room(page).list.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight)

export const atEnd = (page: Page) => expect.poll(() => distanceFromEnd(page)).toBeLessThan(5)

/** In a flood, and when it ends, a list is drawn anew: nobody but a test scrolls it in that very moment. */
export async function floodIsOver(page: Page) {
  await expect(room(page).list).not.toHaveAttribute('data-renderer', 'newest')
  await atRest(page)
}

/** The text of what is really inside the list's view, first to last. */
export const inView = (page: Page) =>
  room(page).list.evaluate((list) => {
    const view = list.getBoundingClientRect()
    return [...list.querySelectorAll('li')]
      .filter((item) => {
        const { top, bottom } = item.getBoundingClientRect()
        return bottom > view.top + 1 && top < view.bottom - 1
      })
      .map((item) => item.textContent ?? '')
  })

/** Selects the whole page and copies it. */
export async function copyAll(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await room(page).list.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('ControlOrMeta+c')
  return page.evaluate(() => navigator.clipboard.readText())
}
