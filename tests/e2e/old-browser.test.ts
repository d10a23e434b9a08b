import type { Page } from '@playwright/test'
import { newerApis } from '../../scripts/check/browser-apis.ts'
import { uniqueName } from '../support/accounts.ts'
import { enterRoom, waitUntilLive, room, sendMessage } from '../support/room-page.ts'
import { expect, test } from './fixtures.ts'

/** Removes every API that some supported browser lacks. Returns a list that collects the errors of the page. */
async function removeNewerApis(page: Page): Promise<string[]> {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.addInitScript((apis) => {
    const scope = globalThis as unknown as Record<string, { prototype?: object } | undefined>
    for (const { owner, member, isStatic } of apis) {
      const holder = scope[owner === 'Window' ? 'window' : owner]
      if (member === null) Reflect.deleteProperty(scope, owner)
      else if (holder !== undefined) Reflect.deleteProperty(holder, member)
      if (member === null || isStatic || holder?.prototype === undefined) continue
      Reflect.deleteProperty(holder.prototype, member)
    }
  }, newerApis)
  return errors
}

test('BROWSERS-1 in the oldest supported browsers the room shows messages with links', async ({ page }) => {
  const errors = await removeNewerApis(page)
  await enterRoom(page)
  expect(
    await page.evaluate(() => ['parse' in URL, 'withResolvers' in Promise, 'toSorted' in Array.prototype]),
  ).toEqual([false, false, true])
  await sendMessage(page, 'see https://example.org/ and http://[broken')
  await expect(room(page).entries).toHaveText([/ : see https:\/\/example\.org\/ and http:\/\/\[broken$/])
  await expect(room(page).entries.getByRole('link')).toHaveAttribute('href', 'https://example.org/')
  expect(errors).toEqual([])
})

test('BROWSERS-1 in the oldest supported browsers users can sign up, log in and send', async ({ page }) => {
  const errors = await removeNewerApis(page)
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto('/register')
  await waitUntilLive(page)
  const name = uniqueName()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`${name}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click()
  await expect(page.getByText('Your account is ready')).toBeVisible()
  await page.getByRole('link', { name: 'Allusers', exact: true }).click()
  await expect(page.getByText(`${name}@example.org`, { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await page.getByLabel('Username', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByText(`User logged in as : ${name}`)).toBeVisible()
  await sendMessage(page, 'hello')
  await expect(room(page).entries).toHaveText([/ : hello$/])
  expect(errors).toEqual([])
})
