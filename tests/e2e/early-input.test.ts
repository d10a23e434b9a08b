import type { Page } from '@playwright/test'
import { collectAlerts, fillLogin, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { entryPattern, waitUntilLive, room } from '../support/room-page.ts'

/** Opens a page and delays its main script until the returned function is called. */
async function openWithHeldScript(page: Page, path: string): Promise<() => void> {
  let releaseScript = () => {}
  const released = new Promise<void>((resolve) => (releaseScript = resolve))
  await page.route('**/assets/index-*.js', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
  return releaseScript
}

test('HYDRATION-1 text, name, focus and caret set before the script loads are kept', async ({ page }) => {
  const releaseScript = await openWithHeldScript(page, '/')
  const { customName, message, entries } = room(page)
  await customName.fill('ann')
  await message.click()
  await page.keyboard.type('erly')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  releaseScript()
  await waitUntilLive(page)
  await expect(customName).toHaveValue('ann')
  await expect(message).toHaveValue('erly')
  await expect(message).toBeFocused()
  await page.keyboard.type('a')
  await page.keyboard.press('Enter')
  await expect(entries).toHaveText([entryPattern('ann (not loggedin)', 'early')])
})

test('HYDRATION-2 each press of Send before the script loads sends one message, and the form is not submitted natively', async ({
  page,
}) => {
  const releaseScript = await openWithHeldScript(page, '/')
  const { message, entries } = room(page)
  await message.click()
  await page.keyboard.type('one')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  await room(page).send.click()
  await message.press('End')
  await page.keyboard.type('three')
  await expect(message).toHaveValue('onetwothree')
  expect(new URL(page.url()).search).toBe('')
  releaseScript()
  await waitUntilLive(page)
  await expect(entries).toHaveText([/ : one$/, / : two$/])
  await expect(message).toHaveValue('three')
})

test('HYDRATION-1 a line break typed before the script loads stays, and Enter sends both lines', async ({ page }) => {
  const releaseScript = await openWithHeldScript(page, '/')
  const { message, entries } = room(page)
  await message.click()
  await page.keyboard.type('one')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('two')
  await page.keyboard.press('Enter')
  await expect(message).toHaveValue('one\ntwo')
  releaseScript()
  await waitUntilLive(page)
  await expect(entries).toHaveText([/ : one\ntwo$/])
  await expect(message).toHaveValue('')
})

test('HYDRATION-2 a login submitted before the script loads is performed once it has loaded', async ({
  page,
  application,
}) => {
  const alerts = collectAlerts(page)
  const account = await registerAccount(application.url)
  const releaseScript = await openWithHeldScript(page, '/login')
  await fillLogin(page, account.name, account.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
  releaseScript()
  await expect.poll(() => alerts).toEqual([`Login successful: ${account.name}`])
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
})

test('HYDRATION-2 a sign-up submitted before the script loads is performed once it has loaded', async ({ page }) => {
  const releaseScript = await openWithHeldScript(page, '/register')
  const name = `early-${Date.now()}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`${name}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign Up' }).click()
  releaseScript()
  await expect(page.getByText('Your account is ready')).toBeVisible()
  await expect(page).toHaveURL('/register')
})

for (const path of ['/', '/login', '/register']) {
  test(`HYDRATION-3 without scripts no form is submitted and typed text stays: ${path}`, async ({ page }) => {
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto(path)
    const fields = page.getByRole('main').locator('input, textarea')
    for (const field of await fields.all()) await field.fill('a@b.c')
    let hasNavigated = false
    page.on('request', (request) => (hasNavigated ||= request.isNavigationRequest()))
    await page.getByRole('main').locator('button[type=submit]').click()
    await fields.last().press('Enter')
    // Without a script, Enter breaks the line in the message field.
    for (const field of await fields.all()) await expect(field).toHaveValue(/^a@b\.c\n?$/)
    expect(hasNavigated).toBe(false)
  })
}

test('HYDRATION-4 the menu button and the show-password button apply clicks made before the script loads', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const { clicks, expanded } of [
    { clicks: 1, expanded: true },
    { clicks: 2, expanded: false },
  ]) {
    const releaseScript = await openWithHeldScript(page, '/login')
    const menu = page.getByRole('button', { name: /^(Open|Close) menu$/ })
    for (let click = 0; click < clicks; click++) await menu.click()
    await page.getByRole('button', { name: 'Show characters' }).click()
    releaseScript()
    await waitUntilLive(page)
    await expect(menu).toHaveAttribute('aria-expanded', String(expanded))
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
    await page.unrouteAll()
    // After hydration, each click counts once.
    await page.keyboard.press('Escape')
    await menu.click()
    await expect(page.getByRole('link', { name: 'Register', exact: true })).toBeVisible()
  }
})
