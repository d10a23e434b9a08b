import type { Page } from '@playwright/test'
import { connectClient } from '../support/socket-client.ts'
import { enterRoom, room, waitUntilLive } from '../support/room-page.ts'
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { setHidden } from './page-visibility.ts'

/** Records notifications, and requests for the permission, instead of showing them. */
const recordNotifications = (page: Page) =>
  page.addInitScript(() => {
    const calls: string[] = []
    const tags: string[] = []
    class RecordedNotification extends EventTarget {
      static readonly permission = 'granted'
      static requestPermission() {
        calls.push('requested')
        return Promise.resolve('granted')
      }
      constructor(_title: string, { body = '', tag = '' }: NotificationOptions = {}) {
        super()
        calls.push(body)
        tags.push(tag)
      }
      close() {
        calls.push('closed')
      }
    }
    Object.assign(window, { Notification: RecordedNotification, calls, tags })
  })

const recorded = (page: Page, list: 'calls' | 'tags' = 'calls') =>
  page.evaluate((name) => Reflect.get(window, name) as string[], list)

test('READING-14 after a click, a hidden tab shows notifications for mentions; a visible one shows none', async ({
  page,
  application,
}) => {
  await recordNotifications(page)
  const calls = () => recorded(page)
  await enterRoom(page)
  await room(page).customName.fill('Mia')
  const ann = await connectClient(application.url, 'ann')
  await setHidden(page, true)
  await ann.send('Mia, before the choice')
  await expect(page).toHaveTitle('(1) Chat Room')
  await setHidden(page, false)
  expect(await calls()).toEqual([])

  await page.getByRole('button', { name: 'Notifications' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Mentions of my name').click()
  await expect(page.getByLabel('Mentions of my name')).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Mentions of my name')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Notifications' })).toBeFocused()
  await ann.send('Mia, visible')
  await expect(room(page).entries).toHaveCount(2)
  // Notifications continue after a change of screen.
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await expect(page.getByText('Login to your account')).toBeVisible()
  await setHidden(page, true)
  await ann.send('of no interest')
  await ann.send('dear mia, come here')
  await expect.poll(calls).toEqual(['requested', 'ann (not loggedin) : dear mia, come here'])
  await setHidden(page, false)
  await expect.poll(calls).toContain('closed')
  ann.disconnect()
})

test('READING-14 the choice survives a reload, and all tabs of the browser share it', async ({ page, application }) => {
  await recordNotifications(page)
  const panelOf = (tab: Page) => tab.getByRole('button', { name: 'Notifications' })
  await enterRoom(page)
  await room(page).customName.fill('Mia')
  await panelOf(page).click()
  await page.getByLabel('Mentions of my name').click()
  await page.reload()
  await panelOf(page).click()
  await expect(page.getByLabel('Mentions of my name')).toBeChecked()
  await setHidden(page, true)
  const ann = await connectClient(application.url, 'ann')
  await ann.send('Mia, after the reload')
  ann.disconnect()
  await expect.poll(() => recorded(page)).toEqual(['ann (not loggedin) : Mia, after the reload'])
  // All tabs use one tag, so a notification of another tab replaces this one.
  expect(await recorded(page, 'tags')).toEqual(['chat-room'])

  const second = await page.context().newPage()
  await recordNotifications(second)
  await enterRoom(second)
  await panelOf(second).click()
  await expect(second.getByLabel('Mentions of my name')).toBeChecked()
  await second.getByLabel('Off').click()
  await expect(page.getByLabel('Off')).toBeChecked()

  // A tab that has never shown the room also applies the choice.
  const third = await page.context().newPage()
  await recordNotifications(third)
  await third.goto('/login')
  await waitUntilLive(third)
  await second.getByLabel('All messages').click()
  await setHidden(third, true)
  const ben = await connectClient(application.url, 'ben')
  await expect
    .poll(async () => {
      await ben.send('hello')
      return recorded(third)
    })
    .toContain('ben (not loggedin) : hello')
  ben.disconnect()
  await third.close()
  await second.close()
})
