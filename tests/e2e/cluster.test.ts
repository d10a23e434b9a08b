import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { probes } from '../../contract/routes.ts'
import { startCluster } from '../support/cluster.ts'
import { enterRoom, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

test('CLUSTER-5 pages on several nodes share one room, including a polling-only and a logged-in page', async ({
  page,
  openVisitor,
  application,
}) => {
  const polling = await openVisitor()
  await polling.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebSocket'))
  const others = [polling, ...(await Promise.all([openVisitor(), openVisitor()]))]
  const pages = [page, ...others]
  for (const one of pages) await enterRoom(one)
  for (const one of pages) await expect(room(one).onlineTitle).toHaveText('Online Users Socket Id [4]')

  const account = await registerAccount(application.url)
  collectAlerts(page)
  await logIn(page, account)
  for (const [index, one] of pages.entries()) await sendMessage(one, `from page ${index}`)
  const expected = pages.map((_, index) => new RegExp(`from page ${index}$`))
  for (const one of pages) await expect(room(one).entries).toHaveText(expected)
  await expect(room(polling).entries.first()).toHaveText(new RegExp(`\\] ${account.name} : from page 0$`))

  await polling.close()
  for (const one of pages.filter((other) => other !== polling)) {
    await expect(room(one).onlineTitle).toHaveText('Online Users Socket Id [3]')
  }
})

test('CLUSTER-2 in a rolling restart a page shows at most one short status line per node and misses no message', async ({
  page,
  openVisitor,
}) => {
  const cluster = await startCluster({ nodes: 3, env: { LOG_LEVEL: 'warn' } })
  try {
    const pages = [page, await openVisitor(), await openVisitor()]
    for (const one of pages) {
      await enterRoom(one, cluster.url)
      await one.evaluate(recordStatusLines)
    }
    let sent = 0
    for (const node of cluster.nodes) {
      await sendMessage(page, `message ${sent++}`)
      const stopping = node.stop()
      await sendMessage(page, `message ${sent++}`)
      await stopping
      // The pages of this node reconnect to other nodes while it is stopped.
      for (const one of pages) await waitUntilLive(one)
      await node.start()
      for (const one of pages) await waitUntilLive(one)
      // nginx skips a node for some seconds after a failure.
      await expect.poll(async () => (await fetch(cluster.url + probes.ready)).status).toBe(200)
    }
    await sendMessage(page, `message ${sent++}`)
    const expected = Array.from({ length: sent }, (_, index) => new RegExp(`message ${index}$`))
    for (const one of pages) {
      await expect(room(one).entries).toHaveText(expected)
      const lines = await one.evaluate(() => (globalThis as unknown as { statusLines: number[] }).statusLines)
      expect(lines.length).toBeLessThanOrEqual(cluster.nodes.length)
      expect(Math.max(0, ...lines)).toBeLessThan(maxStatusLineMs)
    }
  } finally {
    await cluster.close()
  }
})

/** Maximum duration of a status line. Measured: 0.5 s on an idle machine, 3 s on two cores shared by forty processes. */
const maxStatusLineMs = 5_000

/** Records in `statusLines` the duration, in ms, of each period in which the connection status is not 'live'. */
function recordStatusLines(): void {
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
