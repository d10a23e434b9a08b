import type { Page } from '@playwright/test'
import { collectAlerts, collectConsoleErrors, uniqueName, registerAccount } from '../support/accounts.ts'
import { waitUntilLive } from '../support/room-page.ts'
import { expect, test } from './fixtures.ts'

const fields = (page: Page) => ({
  name: page.getByLabel('Name', { exact: true }),
  email: page.getByLabel('Email', { exact: true }),
  password: page.getByLabel('Password', { exact: true }),
  submit: page.getByRole('button', { name: 'Sign Up', exact: true }),
})

async function fill(page: Page, name: string, email: string, password = 'secret') {
  const form = fields(page)
  await form.name.fill(name)
  await form.email.fill(email)
  await form.password.fill(password)
}

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('userData'))

test("SIGNUP-1 SIGNUP-2 SIGNUP-3 SIGNUP-6 the form 'Create an account' has required fields, states who can see the e-mail address, and links to /login", async ({
  page,
}) => {
  await page.goto('/register')
  await expect(page.getByRole('heading', { name: 'Create an account', exact: true })).toBeVisible()
  for (const part of Object.values(fields(page))) await expect(part).toBeVisible()
  const { name, email, password, submit } = fields(page)
  for (const field of [name, email, password]) await expect(field).toHaveAttribute('required')
  await expect(email).toHaveAttribute('type', 'email')
  await expect(email).toHaveAccessibleDescription('Other registered users can see your e-mail address.')
  await expect(page.getByText('Other registered users can see your e-mail address.')).toBeVisible()
  await expect(password).toHaveAttribute('type', 'password')
  for (const field of [name, email, password]) {
    expect(
      await field.evaluate((input: HTMLInputElement) => [input.minLength, input.maxLength, input.pattern]),
    ).toEqual([-1, -1, ''])
  }

  let calls = 0
  page.on('request', (request) => (request.method() === 'POST' ? calls++ : undefined))
  await submit.click()
  await expect(name).toBeFocused()
  await fill(page, uniqueName(), 'no address')
  await submit.click()
  await expect(email).toBeFocused()
  expect(await email.evaluate((input: HTMLInputElement) => input.validity.typeMismatch)).toBe(true)
  expect(calls).toBe(0)

  await expect(page.getByText('Already have an account?')).toBeVisible()
  const link = page.getByRole('link', { name: 'Log in', exact: true })
  await expect(link).toHaveAttribute('href', '/login')
  await link.click()
  await expect(page).toHaveURL('/login')
})

test('SIGNUP-3 a password of one character is accepted', async ({ page }) => {
  await page.goto('/register')
  const name = uniqueName()
  await fill(page, name, `${name}@example.org`, 'x')
  await fields(page).submit.click()
  await expect(page.getByText('Your account is ready')).toBeVisible()
})

test('SIGNUP-4 on success the page stores the whole response and shows a status without navigation or alert', async ({
  page,
}) => {
  const alerts = collectAlerts(page)
  await page.goto('/register')
  const name = uniqueName()
  await fill(page, name, `${name}@example.org`)
  const posted = page.waitForResponse((response) => response.request().method() === 'POST')
  await fields(page).submit.click()
  const registration: unknown = await (await posted).json()
  await expect(page.getByRole('status').filter({ hasText: 'Your account is ready' })).toBeVisible()
  expect(JSON.parse((await stored(page)) ?? '')).toEqual(registration)
  expect(registration).toMatchObject({ name, email: `${name}@example.org`, token: expect.any(String) })
  await expect(page).toHaveURL('/register')
  expect(alerts).toEqual([])
})

test('SIGNUP-4 the confirmation leads to the login form with the name filled in', async ({ page }) => {
  await page.goto('/register')
  const name = uniqueName()
  await fill(page, name, `${name}@example.org`)
  await fields(page).submit.click()
  await page.getByRole('link', { name: `Log in as ${name}`, exact: true }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Username', { exact: true })).toHaveValue(name)
})

test('SIGNUP-4 above an on-screen keyboard the confirmation is scrolled into view, and the next password is masked', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 450 })
  await page.goto('/register')
  const name = uniqueName()
  await fill(page, name, `${name}@example.org`)
  await page.getByRole('button', { name: 'Show characters' }).click()
  await fields(page).password.press('Enter')
  await expect(page.getByRole('link', { name: `Log in as ${name}`, exact: true })).toBeInViewport({ ratio: 1 })
  await expect(fields(page).password).toHaveAttribute('type', 'password')
})

test('SIGNUP-5 a taken name causes an alert with the reason and a console error, and keeps the fields', async ({
  page,
  application,
}) => {
  const alerts = collectAlerts(page)
  const errors = collectConsoleErrors(page)
  const { name } = await registerAccount(application.url)
  await page.goto('/register')
  await fill(page, name, 'another@example.org')
  await fields(page).submit.click()
  await expect.poll(() => alerts).toHaveLength(1)
  expect(alerts[0]).toMatch(/^An error occurred\. Please try again\. .*name.*/i)
  await expect.poll(() => errors.some((text) => !text.startsWith('Failed to load resource'))).toBe(true)
  await expect(fields(page).name).toHaveValue(name)
  await expect(fields(page).name).toBeFocused()
  await expect(fields(page).name).toHaveAttribute('aria-invalid', 'true')
  await expect(fields(page).name).toHaveAccessibleDescription(/name/i)
  expect(await stored(page)).toBeNull()
})

test('SIGNUP-5 a network failure causes the same alert with the error message of the browser', async ({ page }) => {
  const alerts = collectAlerts(page)
  const errors = collectConsoleErrors(page)
  await page.goto('/register')
  await page.route('**/register', (route) => route.abort())
  await fill(page, uniqueName(), 'a@example.org')
  await fields(page).submit.click()
  await expect.poll(() => alerts).toEqual(['An error occurred. Please try again. Failed to fetch'])
  await expect.poll(() => errors.some((text) => text.includes('Failed to fetch'))).toBe(true)
})

test('SIGNUP-5 when the response to a sign-up is lost, the retry suggests to log in', async ({ page, application }) => {
  collectAlerts(page)
  const { name: otherName } = await registerAccount(application.url)
  await page.goto('/register')
  const name = uniqueName()
  await page.route(
    '**/register',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await fill(page, name, `${name}@example.org`)
  for (const description of ['', 'This name is already taken. If you just registered it, log in.']) {
    await fields(page).submit.click()
    await expect(fields(page).name).toHaveAccessibleDescription(description)
    await expect(fields(page).submit).toBeEnabled()
  }
  await fields(page).name.fill(otherName)
  await fields(page).submit.click()
  await expect(fields(page).name).toHaveAccessibleDescription('This name is already taken.')
})

test('SIGNUP-5 the retry suggests to log in also when the name was edited before the response was lost', async ({
  page,
}) => {
  collectAlerts(page)
  await page.goto('/register')
  const name = uniqueName()
  await page.route(
    '**/register',
    async (route) => {
      await route.fetch()
      await fields(page).name.fill('another name')
      await route.abort()
    },
    { times: 1 },
  )
  await fill(page, name, `${name}@example.org`)
  const failed = page.waitForEvent('dialog')
  await fields(page).submit.click()
  await failed
  await expect(fields(page).submit).toBeEnabled()
  await fields(page).name.fill(name)
  await fields(page).submit.click()
  await expect(fields(page).name).toHaveAccessibleDescription(
    'This name is already taken. If you just registered it, log in.',
  )
})

test('FORMS-1 a second submit while the first is pending does nothing', async ({ page }) => {
  await page.goto('/register')
  let calls = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/register', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    calls++
    await released
    return route.continue()
  })
  const name = uniqueName()
  await fill(page, name, `${name}@example.org`)
  const { submit } = fields(page)
  await submit.click()
  await expect(submit).toHaveAttribute('aria-disabled', 'true')
  await expect(page.locator('form')).toHaveAttribute('aria-busy', 'true')
  await submit.click({ force: true })
  await page.keyboard.press('Enter')
  release()
  await expect(page.getByText('Your account is ready')).toBeVisible()
  await expect(submit).toHaveAttribute('aria-disabled', 'false')
  expect(calls).toBe(1)
})

test('FORMS-1 the password can be shown and hidden, and the fields have autocomplete names for password managers', async ({
  page,
}) => {
  await page.goto('/register')
  const { name, email, password } = fields(page)
  await password.fill('secret')
  const show = page.getByRole('button', { name: 'Show characters' })
  await show.click()
  await expect(password).toHaveAttribute('type', 'text')
  await expect(show).toHaveAttribute('aria-pressed', 'true')
  await show.click()
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveValue('secret')
  await expect(name).toHaveAttribute('autocomplete', 'username')
  await expect(email).toHaveAttribute('autocomplete', 'email')
  await expect(password).toHaveAttribute('autocomplete', 'new-password')
})

test('FORMS-2 a rate-limited request shows a countdown, whose timer ends with it', async ({ page }) => {
  const alerts = collectAlerts(page)
  await page.goto('/register')
  await waitUntilLive(page)
  await page.evaluate(() => {
    const running = new Set<number>()
    const start = window.setInterval.bind(window)
    const stop = window.clearInterval.bind(window)
    Object.assign(window, {
      running,
      setInterval: (run: () => void, everyMs: number) => {
        const timer = start(run, everyMs)
        running.add(timer)
        return timer
      },
      clearInterval: (timer: number) => {
        running.delete(timer)
        stop(timer)
      },
    })
  })
  const runningIntervals = () => page.evaluate(() => (Reflect.get(window, 'running') as Set<number>).size)
  await page.route('**/register', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '2' },
      json: { code: 'rate_limited', message: 'Too many registrations from your address.' },
    }),
  )
  // The test advances the clock of the page.
  await page.evaluate(() => {
    let nowMs = performance.now()
    performance.now = () => nowMs
    window.addEventListener('second', () => (nowMs += 1_000))
  })
  const second = () => page.evaluate(() => window.dispatchEvent(new Event('second')))
  await fill(page, uniqueName(), 'a@example.org')
  await fields(page).submit.click()
  await expect.poll(() => alerts).toHaveLength(1)
  const notice = page.getByText('Too many registrations from your address. Try again in')
  await expect(notice).toContainText('Try again in 2 s.')
  await second()
  await expect(notice).toContainText('Try again in 1 s.')
  expect(await runningIntervals()).toBe(1)
  await second()
  await expect(notice).toHaveCount(0)
  expect(await runningIntervals()).toBe(0)
})

const invalidNames = [
  ['bob (not loggedin)', "The name must not end with '(not loggedin)'."],
  ['anonymous-not-loggedin', 'This name is reserved.'],
  ['bo\u200bb', 'The name contains invisible or control characters.'],
  ['bob : hi', 'A colon in the name must be inside a word.'],
  ['n'.repeat(65), 'The name is longer than 64 characters.'],
] as const

test('SIGNUP-5 each kind of invalid name shows its reason beside the field', async ({ page }) => {
  const alerts = collectAlerts(page)
  await page.goto('/register')
  const { name: field, submit } = fields(page)
  for (const [index, [name, reason]] of invalidNames.entries()) {
    await fill(page, name, 'bob@example.org')
    await submit.click()
    await expect(field).toHaveAccessibleDescription(reason)
    await expect(field).toBeFocused()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect.poll(() => alerts).toHaveLength(index + 1)
    expect(alerts.at(-1)).toBe(`An error occurred. Please try again. ${reason}`)
  }
})
