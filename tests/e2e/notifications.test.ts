import { connectClient } from '../support/socket-client.ts'
import { enterRoom, room } from '../support/room-page.ts'
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { setHidden } from './page-visibility.ts'

test('READING-14 after a click, a hidden tab shows notifications for mentions; a visible one shows none', async ({
  page,
  application,
}) => {
  // Record notifications instead of showing them.
  await page.addInitScript(() => {
    const calls: string[] = []
    class RecordedNotification extends EventTarget {
      static requestPermission() {
        calls.push('requested')
        return Promise.resolve('granted')
      }
      constructor(_title: string, { body = '' }: NotificationOptions = {}) {
        super()
        calls.push(body)
      }
      close() {
        calls.push('closed')
      }
    }
    Object.assign(window, { Notification: RecordedNotification, calls })
  })
  const calls = () => page.evaluate(() => Reflect.get(window, 'calls') as string[])
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
  // A notifier survives a change of screen.
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
