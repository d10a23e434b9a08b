import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { loginDataKey } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { createBuiltClone } from '../support/clone-project.ts'
import { registerAccount } from '../support/accounts.ts'
import { startApplication } from '../support/application.ts'
import { build, changeSources } from '../support/build-in-clone.ts'
import { enterRoom, waitUntilLive } from '../support/room-page.ts'

const headings = {
  [routes.register]: 'Create an account',
  [routes.login]: 'Login to your account',
  [routes.users]: 'Users',
  [routes.room]: 'Send Your Message',
}

/** Opens the room with login data, which the users screen needs, and types a draft. */
async function openWithDraft(page: Page, url: string, loginData: string) {
  await enterRoom(page, url)
  await page.evaluate(([key, data]) => localStorage.setItem(key, data), [loginDataKey, loginData] as const)
  await page.getByLabel('Message', { exact: true }).fill('half a sentence')
}

async function open(page: Page, path: keyof typeof headings) {
  await page.locator(`nav a[href="${path}"], header a[href="${path}"]`).first().click()
  await expect(page.getByRole('heading', { name: headings[path], exact: true })).toBeVisible()
  // A reloaded page is visible before its script has loaded. A click on a link before that would load a page again.
  await waitUntilLive(page)
}

function countLoads(page: Page): () => number {
  let loads = 0
  page.on('load', () => loads++)
  return () => loads
}

test('OPERATING-4 a page opened before an upgrade keeps its draft and shows every screen, with one reload if its code is missing', async ({
  page,
  browser,
}) => {
  const cleanUps: (() => void)[] = []
  const clone = createBuiltClone((clean) => cleanUps.push(clean))
  const builds = join(clone, 'dist/builds')
  const [oldBuild = ''] = readdirSync(builds)
  const application = await startApplication([join(clone, 'server/main.ts')])
  const other = await browser.newPage()
  const draftOf = (one: Page) => one.getByLabel('Message', { exact: true })
  // The other page cannot prefetch the code of other screens.
  let isUnreachable = true
  await other.route('**/assets/{register,login,users}-screen-*.js', (route) =>
    isUnreachable ? route.abort() : route.continue(),
  )
  try {
    const { response } = await registerAccount(application.url)
    for (const one of [page, other]) await openWithDraft(one, application.url, JSON.stringify(response))
    await application.terminate()
    changeSources(clone, 'upgraded')
    await build(clone)
    await application.start()
    const loads = countLoads(page)
    await expect(draftOf(page)).toHaveValue('half a sentence')
    await open(page, routes.register)
    await open(page, routes.login)
    await open(page, routes.users)
    await open(page, routes.room)
    expect(loads()).toBe(0)
    await expect(draftOf(page)).toHaveValue('half a sentence')

    await application.terminate()
    rmSync(join(builds, oldBuild), { recursive: true })
    await application.start()
    isUnreachable = false
    const otherLoads = countLoads(other)
    await open(other, routes.register)
    expect(new URL(other.url()).pathname).toBe(routes.register)
    await open(other, routes.login)
    await open(other, routes.users)
    await open(other, routes.room)
    expect(otherLoads()).toBe(1)
    await expect(draftOf(other)).toHaveValue('half a sentence')
  } finally {
    await other.close()
    await application.dispose()
    cleanUps.forEach((clean) => clean())
  }
})
