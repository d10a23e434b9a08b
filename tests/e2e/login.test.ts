import { collectAlerts, collectConsoleErrors, fillLogin, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'

test("LOGIN-1 LOGIN-2 LOGIN-3 the page 'Login to your account' has a form of required fields and a link to /register", async ({
  page,
}) => {
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Login to your account', exact: true })).toBeVisible()
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
  await name.fill('ann')
  await submit.click()
  await expect(password).toBeFocused()
  expect(calls).toBe(0)

  const link = page.getByRole('link', { name: "Don't have an account?", exact: true })
  await expect(link).toHaveAttribute('href', '/register')
  await link.click()
  await expect(page).toHaveURL('/register')
})

test('LOGIN-4 a successful login sets the identity, pushes the home page, shows an alert and stores nothing', async ({
  page,
  application,
}) => {
  const account = await registerAccount(application.url)
  await page.goto('/login')
  const alerts: string[] = []
  let urlDuringAlert: unknown
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    urlDuringAlert = page.url()
    void dialog.accept()
  })
  const entries = await page.evaluate(() => history.length)
  await fillLogin(page, account.name, account.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual([`Login successful: ${account.name}`])
  expect(urlDuringAlert).toBe(`${application.url}/`)
  await expect(page).toHaveURL('/')
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
  expect(await page.evaluate(() => history.length)).toBe(entries + 1)
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused()
  await page.goBack()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
})

test('LOGIN-4 NAV-6 after a login, the message field gets the focus also if the code of the room arrives later', async ({
  page,
  application,
}) => {
  const alerts = collectAlerts(page)
  const account = await registerAccount(application.url)
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/room-screen-*.js', async (route) => {
    await isReleased
    await route.continue()
  })
  await page.goto('/login')
  await fillLogin(page, account.name, account.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual([`Login successful: ${account.name}`])
  await expect(page.locator('#main')).toBeFocused()
  release()
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused()
})

test('LOGIN-5 wrong credentials cause only an alert and keep the fields', async ({ page, application }) => {
  const alerts = collectAlerts(page)
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

test('LOGIN-6 a failed request causes an alert and an error on the console', async ({ page }) => {
  const alerts = collectAlerts(page)
  const errors = collectConsoleErrors(page)
  await page.goto('/login')
  await page.route('**/login', (route) => route.abort())
  await fillLogin(page, 'ann', 'secret')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect.poll(() => alerts).toEqual(['An error occurred. Please try again.'])
  await expect.poll(() => errors.some((text) => text.includes('Failed to fetch'))).toBe(true)
  await expect(page).toHaveURL('/login')
})

test('LOGIN-6 a rate-limited login causes the same alert and shows how long to wait', async ({ page, application }) => {
  const alerts = collectAlerts(page)
  const errors = collectConsoleErrors(page)
  const account = await registerAccount(application.url)
  await page.goto('/login')
  await fillLogin(page, account.name, 'wrong')
  const submit = page.getByRole('button', { name: 'Login', exact: true })
  // The server accepts some failures before it applies the rate limit.
  for (let attempt = 1; attempt <= 10 && !alerts.includes('An error occurred. Please try again.'); attempt++) {
    await submit.click()
    await expect.poll(() => alerts).toHaveLength(attempt)
  }
  expect(alerts.at(-1)).toBe('An error occurred. Please try again.')
  await expect(page.getByText(/Try again in \d+ s\./)).toBeVisible()
  await expect.poll(() => errors.some((text) => !text.startsWith('Failed to load resource'))).toBe(true)
})

test('LOGIN-6 credentials never appear in the URL, even without the script', async ({ page, application }) => {
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto('/login')
  await fillLogin(page, 'ann', 'secret')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await page.waitForLoadState()
  expect(page.url()).toBe(`${application.url}/login`)
})
