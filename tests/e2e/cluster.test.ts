import { alertsOf, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, room, say } from '../support/room-page.ts'

test('CLUSTER-5 pages on several nodes, one that can only poll and one that is logged in, are in one room', async ({
  page,
  visitor,
  application,
}) => {
  const polling = await visitor()
  await polling.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebSocket'))
  const others = [polling, ...(await Promise.all([visitor(), visitor()]))]
  const pages = [page, ...others]
  for (const one of pages) await enterRoom(one)
  for (const one of pages) await expect(room(one).onlineTitle).toHaveText('Online Users Socket Id [4]')

  const account = await registerAccount(application.url)
  alertsOf(page)
  await logIn(page, account)
  for (const [index, one] of pages.entries()) await say(one, `from page ${index}`)
  const expected = pages.map((_, index) => new RegExp(`from page ${index}$`))
  for (const one of pages) await expect(room(one).entries).toHaveText(expected)
  await expect(room(polling).entries.first()).toHaveText(new RegExp(`\\] ${account.name} : from page 0$`))

  await polling.close()
  for (const one of pages.filter((other) => other !== polling)) {
    await expect(room(one).onlineTitle).toHaveText('Online Users Socket Id [3]')
  }
})
