import { alertsOf, consoleErrorsOf, fillLogin, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'

test("LOGIN-1 heading 'Login to your account'", async ({ page }) => {
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Login to your account', exact: true })).toBeVisible()
})

test('LOGIN-2 Username and Password, required, with their placeholders; a Login button', async ({ page }) => {
  await page.goto('/login')
  const name = page.getByLabel('Username', { exact: true })
  const password = page.getByLabel('Password', { exact: true })
  const submit = page.getByRole('button', { name: 'Login', exact: true })
  await expect(name).toHaveAttribute('type', 'text')
  await expect(name).toHaveAttribute('placeholder', 'Enter Username')
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveAttribute('placeholder', 'Enter Password')
  await expect(name).toHaveAttribute('autocomplete', 'username')
  await expect(password).toHaveAttribute('autocomplete', 'current-password')
  for (const field of [name, password]) await expect(field).toHaveAttribute('required')
  await expect(submit).toHaveAttribute('type', 'submit')

  let calls = 0
  page.on('request', (request) => (request.method() === 'POST' ? calls++ : undefined))
  await submit.click()
  await expect(name).toBeFocused()
  await name.fill('somebody')
  await submit.click()
  await expect(password).toBeFocused()
  expect(calls).toBe(0)
})

test("LOGIN-3 link 'Don't have an account?' to /register", async ({ page }) => {
  await page.goto('/login')
  const link = page.getByRole('link', { name: "Don't have an account?", exact: true })
  await expect(link).toHaveAttribute('href', '/register')
  await link.click()
  await expect(page).toHaveURL('/register')
})

test('LOGIN-4 success: identity, home as a new entry, alert; nothing is stored', async ({ page, application }) => {
  const account = await registerAccount(application.url)
  await page.goto('/login')
  const alerts: string[] = []
  let behind: unknown
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    behind = page.url()
    void dialog.accept()
  })
  const entries = await page.evaluate(() => history.length)
  await fillLogin(page, account.name, account.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual([`Login successful: ${account.name}`])
  expect(behind).toBe(`${application.url}/`)
  await expect(page).toHaveURL('/')
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
  expect(await page.evaluate(() => history.length)).toBe(entries + 1)
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused()
  await page.goBack()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
})

test('LOGIN-5 wrong credentials: alert and nothing else; the fields are kept', async ({ page, application }) => {
  const alerts = alertsOf(page)
  const account = await registerAccount(application.url)
  await page.goto('/login')
  await fillLogin(page, account.name, 'wrong')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual(['Invalid credentials. Please try again.'])
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Username', { exact: true })).toHaveValue(account.name)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('wrong')
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await expect(page.getByRole('navigation').getByRole('link')).toHaveCount(3)
})

test('LOGIN-6 the request fails: alert, and the error on the console', async ({ page }) => {
  const alerts = alertsOf(page)
  const errors = consoleErrorsOf(page)
  await page.goto('/login')
  await page.route('**/login', (route) => route.abort())
  await fillLogin(page, 'somebody', 'secret')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual(['An error occurred. Please try again.'])
  await expect.poll(() => errors.some((text) => text.includes('Failed to fetch'))).toBe(true)
  await expect(page).toHaveURL('/login')
})

test('LOGIN-6 the server refuses: the same alert, and how long to wait', async ({ page, application }) => {
  const alerts = alertsOf(page)
  const errors = consoleErrorsOf(page)
  const account = await registerAccount(application.url)
  await page.goto('/login')
  await fillLogin(page, account.name, 'wrong')
  const submit = page.getByRole('button', { name: 'Login', exact: true })
  // Some failures are free, then the server asks for patience.
  for (let attempt = 1; attempt <= 10 && !alerts.includes('An error occurred. Please try again.'); attempt++) {
    await submit.click()
    await expect.poll(() => alerts).toHaveLength(attempt)
  }
  expect(alerts.at(-1)).toBe('An error occurred. Please try again.')
  await expect(page.getByText(/Try again in \d+ s\./)).toBeVisible()
  await expect.poll(() => errors.some((text) => !text.startsWith('Failed to load resource'))).toBe(true)
})

test('LOGIN-6 secrets never reach the address, even when the script has not arrived', async ({ page, application }) => {
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto('/login')
  await fillLogin(page, 'somebody', 'secret')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await page.waitForLoadState()
  expect(page.url()).toBe(`${application.url}/login`)
})
