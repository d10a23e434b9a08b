import { type Route, routes } from '../../contract/routes.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, waitUntilLive } from '../support/room-page.ts'

test('LAYOUT-9 an unknown path inside the app shows a not-found screen with a link to the room', async ({ page }) => {
  await enterRoom(page)
  await page.evaluate(() => {
    window.history.pushState(null, '', '/no/such/place')
    window.dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByRole('heading', { name: 'There is nothing at this address', level: 1 })).toBeVisible()
  await expect(page).toHaveTitle('Not found · Chat Room')
  await page.getByRole('link', { name: 'Go to the chat room' }).click()
  await waitUntilLive(page)
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  await expect(page).toHaveTitle('Chat Room')
})

/** Text that each page shows without any script. */
const prerenderedTexts: Record<Route, string> = {
  [routes.room]: 'Messeges',
  [routes.register]: 'Create an account',
  [routes.login]: 'Login to your account',
  [routes.users]: 'Users',
}

test("LAYOUT-9 SPEED-2 without scripts every page is displayed, states that it needs JavaScript, and does not show 'Connecting'", async ({
  openVisitor,
}) => {
  const page = await openVisitor({ javaScriptEnabled: false })
  for (const [path, text] of Object.entries(prerenderedTexts)) {
    await page.goto(path)
    await expect(page.getByText(text, { exact: true })).toBeVisible()
    await expect(page.getByRole('banner').getByText('Chat Room')).toBeVisible()
    await expect(page.locator('noscript > p')).toBeInViewport({ ratio: 1 })
    await expect(page.locator('noscript > p')).toContainText('needs JavaScript')
    await expect(page.getByText('Connecting')).toBeHidden()
    await expect(page.getByRole('textbox')).toHaveCount(0)
    await expect(page.getByText('Chat Room', { exact: true })).toBeVisible()
  }
})
