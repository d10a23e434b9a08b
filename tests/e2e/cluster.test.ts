import { alertsOf, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { probes } from '../../contract/routes.ts'
import { startCluster } from '../support/cluster.ts'
import { enterRoom, live, room, say } from '../support/room-page.ts'

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

test('CLUSTER-2 in a rolling restart a page shows at most one short status line per node, and misses nothing', async ({
  page,
  visitor,
}) => {
  const cluster = await startCluster({ nodes: 3, env: { LOG_LEVEL: 'warn' } })
  try {
    const pages = [page, await visitor(), await visitor()]
    for (const one of pages) {
      await enterRoom(one, cluster.url)
      await one.evaluate(noteStatusLines)
    }
    let said = 0
    for (const node of cluster.nodes) {
      await say(page, `message ${said++}`)
      const stopping = node.stop()
      await say(page, `message ${said++}`)
      await stopping
      // Nobody waits for the node, because the others are there.
      for (const one of pages) await live(one)
      await node.start()
      for (const one of pages) await live(one)
      // nginx passes over a node that has failed for some seconds.
      await expect.poll(async () => (await fetch(cluster.url + probes.ready)).status).toBe(200)
    }
    await say(page, `message ${said++}`)
    const expected = Array.from({ length: said }, (_, index) => new RegExp(`message ${index}$`))
    for (const one of pages) {
      await expect(room(one).entries).toHaveText(expected)
      const lines = await one.evaluate(() => (globalThis as unknown as { statusLines: number[] }).statusLines)
      expect(lines.length).toBeLessThanOrEqual(cluster.nodes.length)
      expect(Math.max(0, ...lines)).toBeLessThan(shortMs)
    }
  } finally {
    await cluster.close()
  }
})

/** On a quiet machine half a second, with forty other programs on its two cores three. */
const shortMs = 5_000

/** How long each line stood that was not 'live'. */
function noteStatusLines(): void {
  const lines: number[] = []
  Object.assign(globalThis, { statusLines: lines })
  const pill = document.querySelector('[data-connection]')
  let since: number | null = null
  new MutationObserver(() => {
    const isLive = pill?.getAttribute('data-connection') === 'live'
    if (!isLive) since ??= performance.now()
    else if (since !== null) {
      lines.push(performance.now() - since)
      since = null
    }
  }).observe(pill ?? document, { attributes: true })
}
