import type { Page } from '@playwright/test'
import { collectAlerts, uniqueName } from '../support/accounts.ts'
import { enterRoom, room, sendMessage } from '../support/room-page.ts'
import { expect, test } from './fixtures.ts'
import { forbidStorage } from './page-faults.ts'

const pageErrorsOf = (page: Page) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

test('USERS-2 where storage is forbidden, the users page without login data goes back one history entry', async ({
  page,
}) => {
  const errors = pageErrorsOf(page)
  await forbidStorage(page)
  await enterRoom(page)
  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await expect(page).toHaveURL('/register')
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  await expect(page).toHaveURL('/register')
  await page.goto('/fetchusers')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  expect(errors).toEqual([])
})

test('SIGNUP-4 where storage is forbidden, a sign-up that succeeds is confirmed without an alert', async ({ page }) => {
  const alerts = collectAlerts(page)
  await forbidStorage(page)
  await page.goto('/register')
  const name = uniqueName()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`${name}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click()
  await expect.poll(async () => alerts.length + (await page.getByText('Your account is ready').count())).toBe(1)
  expect(alerts).toEqual([])
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
})

test('RT-2 where storage is forbidden, messages are sent and shown', async ({ page }) => {
  const errors = pageErrorsOf(page)
  await forbidStorage(page)
  await enterRoom(page)
  await sendMessage(page, 'nothing is stored')
  await expect(room(page).entries).toHaveText([/ : nothing is stored$/])
  expect(errors).toEqual([])
})
