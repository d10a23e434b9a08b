import { randomUUID } from 'node:crypto'
import { expect, type Dialog, type Page } from '@playwright/test'

export interface Account {
  name: string
  email: string
  password: string
  response: { _id: string; name: string; email: string; token: string }
}

export const uniqueName = () => `user-${randomUUID().slice(0, 8)}`

export async function registerAccount(
  url: string,
  name = uniqueName(),
  email = `${name}@example.org`,
): Promise<Account> {
  const registration = { name, email, password: `secret of ${name}` }
  const response = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(registration),
  })
  expect(response.status).toBe(201)
  return { ...registration, response: (await response.json()) as Account['response'] }
}

/** Accepts each dialog and collects its text. */
export function collectAlerts(page: Page): string[] {
  const alerts: string[] = []
  page.on('dialog', (dialog: Dialog) => {
    void dialog.accept().then(() => alerts.push(dialog.message()))
  })
  return alerts
}

/** Accepts each dialog and collects its type. */
export function collectDialogTypes(page: Page): string[] {
  const types: string[] = []
  page.on('dialog', (dialog: Dialog) => {
    types.push(dialog.type())
    void dialog.accept()
  })
  return types
}

export function collectConsoleErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}

export async function fillLogin(page: Page, name: string, password: string) {
  await page.getByLabel('Username', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

export async function logIn(page: Page, account: Account) {
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await fillLogin(page, account.name, account.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
  // The page moves the focus after the alert. Continuing earlier could close the alert while it is being accepted.
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused()
}
