import type { Page } from '@playwright/test'
import { alertsOf, fillLogin, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { entryPattern, live, room } from '../support/room-page.ts'

/** Opens a page whose application is still on its way; what it answers lets it arrive. */
async function openEarly(page: Page, path: string): Promise<() => void> {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  await page.route('**/assets/index-*.js', async (route) => {
    await arrived
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
  return arrive
}

test('HYDRATION-1 what is typed and chosen before the script has arrived counts: text, name, focus, caret', async ({
  page,
}) => {
  const arrive = await openEarly(page, '/')
  const { customName, message, entries } = room(page)
  await customName.fill('ann')
  await message.click()
  await page.keyboard.type('erly')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  arrive()
  await live(page)
  await expect(customName).toHaveValue('ann')
  await expect(message).toHaveValue('erly')
  await expect(message).toBeFocused()
  await page.keyboard.type('a')
  await page.keyboard.press('Enter')
  await expect(entries).toHaveText([entryPattern('ann (not loggedin)', 'early')])
})

test('HYDRATION-2 Send pressed before the script has arrived sends, each press one message, and nothing is submitted natively', async ({
  page,
}) => {
  const arrive = await openEarly(page, '/')
  const { message, entries } = room(page)
  await message.click()
  await page.keyboard.type('one')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  await room(page).send.click()
  await message.press('End')
  await page.keyboard.type('three')
  await expect(message).toHaveValue('onetwothree')
  expect(new URL(page.url()).search).toBe('')
  arrive()
  await live(page)
  await expect(entries).toHaveText([/ : one$/, / : two$/])
  await expect(message).toHaveValue('three')
})

test('HYDRATION-2 an early login is carried out when the script is there', async ({ page, application }) => {
  const alerts = alertsOf(page)
  const account = await registerAccount(application.url)
  const arrive = await openEarly(page, '/login')
  await fillLogin(page, account.name, account.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
  arrive()
  await expect.poll(() => alerts).toEqual([`Login successful: ${account.name}`])
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
})

test('HYDRATION-2 an early sign-up is carried out when the script is there', async ({ page }) => {
  const arrive = await openEarly(page, '/register')
  const name = `early-${Date.now()}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`${name}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign Up' }).click()
  arrive()
  await expect(page.getByText('Your account is ready')).toBeVisible()
  await expect(page).toHaveURL('/register')
})

for (const path of ['/', '/login', '/register']) {
  test(`HYDRATION-3 without any script nothing is submitted and nothing typed is lost: ${path}`, async ({ page }) => {
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto(path)
    const fields = page.getByRole('main').locator('input')
    for (const field of await fields.all()) await field.fill('a@b.c')
    let left = false
    page.on('request', (request) => (left ||= request.isNavigationRequest()))
    await page.getByRole('main').locator('button[type=submit]').click()
    await fields.last().press('Enter')
    for (const field of await fields.all()) await expect(field).toHaveValue('a@b.c')
    expect(left).toBe(false)
  })
}

test('HYDRATION-4 the menu button and the one that shows a password act on clicks made before the script has arrived', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const { clicks, expanded } of [
    { clicks: 1, expanded: true },
    { clicks: 2, expanded: false },
  ]) {
    const arrive = await openEarly(page, '/login')
    const menu = page.getByRole('button', { name: /^(Open|Close) menu$/ })
    for (let click = 0; click < clicks; click++) await menu.click()
    await page.getByRole('button', { name: 'Show characters' }).click()
    arrive()
    await live(page)
    await expect(menu).toHaveAttribute('aria-expanded', String(expanded))
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
    await page.unrouteAll()
    // From here on each click counts once.
    await page.keyboard.press('Escape')
    await menu.click()
    await expect(page.getByRole('link', { name: 'Register', exact: true })).toBeVisible()
  }
})
