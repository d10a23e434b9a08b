import type { Page } from '@playwright/test'
import { collectConsoleErrors, registerAccount } from '../support/accounts.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, waitUntilLive } from '../support/room-page.ts'

const store = (page: Page, value: string) => page.addInitScript((data) => localStorage.setItem('userData', data), value)

/** Replaces the response of the server to the request for the users. */
const provideUsers = (page: Page, users: object[]) =>
  page.route('**/fetchusers', (route) =>
    route.request().resourceType() === 'fetch' ? route.fulfill({ json: users }) : route.continue(),
  )

test('USERS-1 the page lists name and email of every user', async ({ page, application }) => {
  const one = await registerAccount(application.url)
  const other = await registerAccount(application.url)
  await store(page, JSON.stringify(one.response))
  await page.goto('/fetchusers')
  await expect(page.getByRole('heading', { name: 'Users', exact: true })).toBeVisible()
  for (const { name, email } of [one, other]) {
    const row = page.getByRole('listitem').filter({ hasText: email })
    await expect(row.getByText(name, { exact: true })).toBeVisible()
    await expect(row.getByText(email, { exact: true })).toBeVisible()
  }
})

test('USERS-1 a long list has a count and a search by name or email', async ({ page }) => {
  const users = Array.from({ length: 300 }, (_, index) => ({
    _id: String(index),
    name: `Person ${index}`,
    email: `address-${index}@example.org`,
  }))
  await store(page, '{"token":"a token"}')
  await provideUsers(page, users)
  await page.goto('/fetchusers')
  const rows = page.locator('.user-row')
  await expect(page.getByText('300 users', { exact: true })).toBeVisible()
  await page.getByLabel('Search users').fill('PERSON 29')
  await expect(rows).toHaveCount(11)
  await expect(page.getByText('11 of 300 users', { exact: true })).toBeVisible()
  await page.getByLabel('Search users').fill('address-7@')
  await expect(rows).toHaveText(['Person 7 address-7@example.org'])
})

test('USERS-1 the request has the token in the Authorization header, and the response is JSON', async ({
  page,
  application,
}) => {
  const { response } = await registerAccount(application.url)
  await store(page, JSON.stringify(response))
  const call = page.waitForRequest(
    (request) => request.url().endsWith('/fetchusers') && request.resourceType() === 'fetch',
  )
  await page.goto('/fetchusers')
  expect((await call).headers()['authorization']).toBe(`Bearer ${response.token}`)
  expect((await (await call).response())?.headers()['content-type']).toContain('application/json')
})

for (const stored of [null, 'not json', '{"token":""}', '{"name":"x"}']) {
  test(`USERS-2 without login data (${stored}) the link returns to the previous screen`, async ({ page }) => {
    if (stored !== null) await store(page, stored)
    await enterRoom(page)
    await page.getByRole('link', { name: 'Register', exact: true }).click()
    await expect(page).toHaveURL('/register')
    await page.getByRole('link', { name: 'Allusers', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
    await expect(page).toHaveURL('/register')
    // The redirect added no history entry: Back opens the room.
    await page.goBack()
    await expect(page).toHaveURL('/')
  })
}

test('USERS-2 opened directly without login data, the page redirects to the room', async ({ page }) => {
  await page.goto('about:blank')
  await page.goto('/fetchusers')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
})

test('USERS-2 after a reload without login data the page returns to the previous screen', async ({
  page,
  application,
}) => {
  const { response } = await registerAccount(application.url)
  await page.goto('/login')
  await waitUntilLive(page)
  await page.evaluate((data) => localStorage.setItem('userData', data), JSON.stringify(response))
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  await expect(page.getByText(response.email)).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
  await expect(page).toHaveURL('/login')
})

test('USERS-3 a failed fetch is logged to the console and not shown on the page', async ({ page }) => {
  const errors = collectConsoleErrors(page)
  let dialogs = 0
  page.on('dialog', (dialog) => {
    dialogs++
    void dialog.accept()
  })
  await store(page, '{"token":"expired"}')
  const rejected = page.waitForResponse((response) => response.status() === 401)
  await page.goto('/fetchusers')
  await rejected
  await expect.poll(() => errors.some((text) => !text.startsWith('Failed to load resource'))).toBe(true)
  await expect(page.getByRole('main')).toHaveText(/^UsersAll registered users\.[^.]+\.$/)
  await expect(page.getByRole('main').locator('[aria-busy=true]')).toHaveCount(0)
  expect(dialogs).toBe(0)
})

test('LAYOUT-10 Back to the users list restores its scroll position', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 600 })
  // Names take one or three lines, so the page cannot calculate the position from the number of rows.
  const users = Array.from({ length: 31 }, (_, index) => ({
    _id: String(index),
    name: `user-${index}${'-long'.repeat(index % 3 === 0 ? 8 : 0)}`,
    email: `address-${index}@example.org`,
  }))
  await store(page, '{"token":"a token"}')
  await provideUsers(page, users)
  await page.goto('/')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  const row = page.getByRole('listitem').nth(22)
  await row.scrollIntoViewIfNeeded()
  await expect(row).toBeInViewport()
  // A row has an estimated height until one frame after it is scrolled near the view.
  await waitForStableLayout(page)
  const topBefore = (await row.boundingBox())?.y ?? 0
  const name = await row.textContent()

  await page.evaluate(() => document.querySelector<HTMLAnchorElement>('header a')?.click())
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  await page.goBack()
  await expect(row).toHaveText(name ?? '')
  await expect.poll(async () => Math.abs(((await row.boundingBox())?.y ?? 0) - topBefore)).toBeLessThanOrEqual(2)
  await page.goForward()
  await page.goBack()
  await expect.poll(async () => Math.abs(((await row.boundingBox())?.y ?? 0) - topBefore)).toBeLessThanOrEqual(2)

  // A new navigation starts at the top.
  await page.evaluate(() => document.querySelector<HTMLAnchorElement>('header a')?.click())
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  await expect(row).toHaveText(name ?? '')
  await waitForStableLayout(page)
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
})
