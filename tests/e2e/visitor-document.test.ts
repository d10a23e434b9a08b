import type { Page } from '@playwright/test'
import { routes } from '../../contract/routes.ts'
import { registerAccount } from '../support/accounts.ts'
import { enterRoom, room, waitUntilLive } from '../support/room-page.ts'
import { connectClient } from '../support/socket-client.ts'
import { expect, test } from './fixtures.ts'

/** Returns the document with one tag per line, without values that differ between two runs or two builds. */
async function documentOf(page: Page): Promise<string> {
  const html = await page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement
    for (const script of copy.querySelectorAll('script')) script.remove()
    return copy.outerHTML
  })
  const normalised = html
    .replaceAll(/_R_\w*_/g, '_R_')
    .replaceAll(/\[\d+\/\d+\/\d+, [\d:]+ [AP]M\]/g, '[time]')
    .replaceAll(/--longest-times:[^;]*;/g, '')
    .replaceAll(/--app-height:[^;]*;/g, '')
    .replaceAll(/(?<=<li[^>]*>(?:<[^>]+>)*)[\w-]{20}(?=<)/g, 'socket-id')
  return `${normalised.replaceAll('><', '>\n<')}\n`
}

// A change of the moderation code must not change these documents. After an intended change of these pages, run
// `npx playwright test -g MODERATION-35 --update-snapshots` and review the difference.
test('MODERATION-35 the HTML that a visitor gets does not change while no removal, rule, restriction or announcement is in effect', async ({
  openVisitor,
  startServer,
}) => {
  const server = await startServer()
  const account = await registerAccount(server.url, 'ann', 'ann@example.org')
  const page = await openVisitor()
  await enterRoom(page, server.url)
  await expect(room(page).onlineIds).toHaveCount(2)
  expect(await documentOf(page)).toMatchSnapshot('room-empty.txt')

  const ann = await connectClient(server.url, 'ann', account.response.token)
  const bob = await connectClient(server.url, 'bob')
  await ann.send('good morning', 0)
  await bob.send('see https://example.org\nfor more', 1)
  // The page receives changes of the online list later. Without this check, the list of two ids below could be the list
  // from before ann and bob connected.
  await expect(room(page).onlineIds).toHaveCount(4)
  ann.disconnect()
  bob.disconnect()
  await expect(room(page).entries).toHaveCount(2)
  await expect(room(page).onlineIds).toHaveCount(2)
  expect(await documentOf(page)).toMatchSnapshot('room.txt')

  for (const [route, name] of [
    [routes.register, 'register'],
    [routes.login, 'login'],
  ] as const) {
    await page.goto(server.url + route)
    await waitUntilLive(page)
    expect(await documentOf(page)).toMatchSnapshot(`${name}.txt`)
  }
  await page.evaluate((data) => localStorage.setItem('userData', JSON.stringify(data)), account.response)
  await page.goto(server.url + routes.users)
  await waitUntilLive(page)
  await expect(page.getByText('ann@example.org')).toBeVisible()
  expect(await documentOf(page)).toMatchSnapshot('users.txt')
})
