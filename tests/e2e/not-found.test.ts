import { routes } from '../../contract/routes.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, live } from '../support/room-page.ts'

test('LAYOUT-9 an address inside the app that leads nowhere says so, and leads home', async ({ page }) => {
  await enterRoom(page)
  await page.evaluate(() => {
    window.history.pushState(null, '', '/no/such/place')
    window.dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByRole('heading', { name: 'There is nothing at this address', level: 1 })).toBeVisible()
  await expect(page).toHaveTitle('Not found · Chat Room')
  await page.getByRole('link', { name: 'Go to the chat room' }).click()
  await live(page)
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  await expect(page).toHaveTitle('Chat Room')
})

test('LAYOUT-9 without scripts every page says what it needs, and does not pretend to connect', async ({ visitor }) => {
  const page = await visitor({ javaScriptEnabled: false })
  for (const path of Object.values(routes)) {
    await page.goto(path)
    await expect(page.locator('noscript > p')).toBeInViewport({ ratio: 1 })
    await expect(page.locator('noscript > p')).toContainText('needs JavaScript')
    await expect(page.getByText('Connecting')).toBeHidden()
    await expect(page.getByRole('textbox')).toHaveCount(0)
    await expect(page.getByText('Chat Room', { exact: true })).toBeVisible()
  }
})
