import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { loginDataKey } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { createBuiltClone } from '../support/clone-project.ts'
import { registerAccount } from '../support/accounts.ts'
import { type Application, startApplication } from '../support/application.ts'
import { build, changeSources } from '../support/build-in-clone.ts'
import { enterRoom, waitUntilLive } from '../support/room-page.ts'

const headings = {
  [routes.register]: 'Create an account',
  [routes.login]: 'Login to your account',
  [routes.users]: 'Users',
  [routes.room]: 'Send Your Message',
}

/** Opens a page, upgrades the application, and runs `check` with the old page. */
async function upgrade(page: Page, keepOldBuilds: boolean, check: (application: Application) => Promise<void>) {
  const cleanUps: (() => void)[] = []
  const clone = createBuiltClone((clean) => cleanUps.push(clean))
  const application = await startApplication([join(clone, 'server/main.ts')])
  try {
    await enterRoom(page, application.url)
    // The users screen needs stored login data.
    const { response } = await registerAccount(application.url)
    await page.evaluate(([key, data]) => localStorage.setItem(key, data), [
      loginDataKey,
      JSON.stringify(response),
    ] as const)
    await page.getByLabel('Message', { exact: true }).fill('half a sentence')
    await application.terminate()
    changeSources(clone, 'upgraded')
    if (!keepOldBuilds) rmSync(join(clone, 'dist'), { recursive: true })
    await build(clone)
    await application.start()
    await check(application)
  } finally {
    await application.dispose()
    cleanUps.forEach((clean) => clean())
  }
}

async function open(page: Page, path: keyof typeof headings) {
  await page.locator(`nav a[href="${path}"], header a[href="${path}"]`).first().click()
  await expect(page.getByRole('heading', { name: headings[path], exact: true })).toBeVisible()
  // A reloaded page is visible before its script has loaded. A link clicked before that would reload again.
  await waitUntilLive(page)
}

test('OPERATING-4 a page opened before an upgrade shows every screen after it and keeps the draft', async ({
  page,
}) => {
  await upgrade(page, true, async () => {
    let loads = 0
    page.on('load', () => loads++)
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue('half a sentence')
    await open(page, routes.register)
    await open(page, routes.login)
    await open(page, routes.users)
    await open(page, routes.room)
    expect(loads).toBe(0)
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue('half a sentence')
  })
})

test('OPERATING-4 a page whose code is missing reloads once at the requested screen and keeps the draft', async ({
  page,
}) => {
  await upgrade(page, false, async () => {
    let loads = 0
    page.on('load', () => loads++)
    await open(page, routes.register)
    expect(new URL(page.url()).pathname).toBe(routes.register)
    await open(page, routes.login)
    await open(page, routes.users)
    await open(page, routes.room)
    expect(loads).toBe(1)
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue('half a sentence')
  })
})
