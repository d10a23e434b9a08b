import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { checkHistories } from '../faults/checker.ts'
import { type ClusterSetup, createClusterSetup } from '../faults/cluster-setup.ts'
import { createFleet } from '../faults/fleet.ts'
import { type History, readHistories } from '../faults/history.ts'
import { createPresenceObserver, type PresenceObserver } from '../faults/presence-observer.ts'
import { waitFor } from '../faults/wait-for.ts'

const canRun = isInstalled('nginx') && isInstalled('redis-server') && postgresProgram('postgres') !== null
const retainedMessages = 100_000
/** Maximum time until the lease of a killed node has expired and all clients have the new list. */
const leaseExpiryMs = 10_000
const slowMachineMs = 10_000

describe.skipIf(!canRun)('CLUSTER-2 three nodes behind nginx', () => {
  let setup: ClusterSetup
  beforeAll(async () => {
    setup = await createClusterSetup(3, retainedMessages)
    await setup.start()
  }, 120_000)
  afterAll(async () => {
    await setup.close()
    await setup.remove()
  })

  test('CLUSTER-2 a rolling restart under load loses and duplicates no message, and a client reconnects at most once per node', async () => {
    const abort = new AbortController()
    const fleet = await createFleet({
      seed: 5,
      control: false,
      serverPort: setup.port,
      folder: setup.histories,
      signal: abort.signal,
    })
    try {
      await fleet.waitUntilReady()
      fleet.startSending()
      setup.recordFault(true)
      for (const { server } of setup.nodes) {
        expect(await server.drain()).toBe('code 0')
        await server.start()
        // The script of an operator polls once a second, so the next node restarts about a second later.
        await pause(1_000)
      }
      setup.recordFault(false)
      await fleet.settle()
      await fleet.comparePresence()
      await fleet.readLog(retainedMessages)
    } finally {
      abort.abort()
      await fleet.close()
    }
    const histories = await readHistories(setup.histories)
    const result = checkHistories(histories, { retainedMessages })
    expect(result.examples).toStrictEqual([])
    expect(result.acked).toBeGreaterThan(300)
    const reconnects = histories.filter(isPage).map(({ name, events }) => ({
      name,
      reasons: events.filter(isReconnect).map(({ reason }) => reason),
      // nginx moves a polling session back to its own node when that node has restarted.
      maxPerNode: name.includes('-websocket') ? 1 : 2,
    }))
    expect(reconnects.some(({ reasons }) => reasons.length > 0)).toBe(true)
    const isTooMany = ({ reasons, maxPerNode }: (typeof reconnects)[number]) =>
      reasons.length > maxPerNode * setup.nodes.length
    expect(reconnects.filter(isTooMany)).toStrictEqual([])
  }, 240_000)

  test('CLUSTER-3 the sockets of a killed node leave every list within 10 s, those of a drained node at once', async () => {
    const [first, second, third] = setup.nodes
    if (first === undefined || second === undefined || third === undefined) throw new Error('expected three nodes')
    const observe = ({ port }: { port: number }) => createPresenceObserver(port, true)
    const [observerOnFirst, observerOnSecond, observerOnThird] = [observe(first), observe(second), observe(third)]
    const waitForOnline = (observers: readonly PresenceObserver[], timeoutMs = slowMachineMs) =>
      waitFor(
        'correct lists of online users',
        () => {
          const onlineIds = new Set(observers.flatMap((observer) => observer.socketId() ?? []))
          return (
            onlineIds.size === observers.length &&
            [observerOnFirst, observerOnSecond].every((observer) => observer.differences(onlineIds).length === 0)
          )
        },
        { timeoutMs },
      )
    try {
      await waitForOnline([observerOnFirst, observerOnSecond, observerOnThird])
      await third.server.kill()
      await waitForOnline([observerOnFirst, observerOnSecond], leaseExpiryMs + slowMachineMs)
      await third.server.start()
      await waitForOnline([observerOnFirst, observerOnSecond, observerOnThird])
      const draining = third.server.drain()
      await waitForOnline([observerOnFirst, observerOnSecond], slowMachineMs)
      await draining
    } finally {
      for (const observer of [observerOnFirst, observerOnSecond, observerOnThird]) observer.close()
      await third.server.start()
    }
  }, 180_000)
})

/** Returns whether an event is a disconnect that the test itself did not cause. The client reconnects after it. */
const isReconnect = (event: History['events'][number]): event is Extract<typeof event, { type: 'disconnected' }> =>
  event.type === 'disconnected' && event.reason !== 'io client disconnect'
const isPage = ({ events: [first] }: History) => first?.type === 'opened' && first.role === 'returning'
