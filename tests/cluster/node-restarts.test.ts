import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isThere, postgresProgram } from '../../scripts/programs.ts'
import { checkHistories } from '../faults/checker.ts'
import { type ClusterSetup, createClusterSetup } from '../faults/cluster-setup.ts'
import { createFleet } from '../faults/fleet.ts'
import { type History, readHistories } from '../faults/history.ts'
import { createPresenceObserver, type PresenceObserver } from '../faults/presence-observer.ts'
import { waitFor } from '../faults/wait-for.ts'

const canRun = isThere('nginx') && isThere('redis-server') && postgresProgram('postgres') !== null
const retainedMessages = 100_000
/** Of a real node: its lease, and what it takes until the last page has been told. */
const ghostsGoneMs = 10_000
const busyMachineMs = 10_000

describe.skipIf(!canRun)('CLUSTER-2 three nodes behind nginx', () => {
  let stage: ClusterSetup
  beforeAll(async () => {
    stage = await createClusterSetup(3, retainedMessages)
    await stage.start()
  }, 120_000)
  afterAll(async () => {
    await stage.close()
    await stage.remove()
  })

  test('CLUSTER-2 a rolling restart under load: nothing lost or doubled, and each page moves at most once per node', async () => {
    const ending = new AbortController()
    const fleet = await createFleet({
      seed: 5,
      control: false,
      serverPort: stage.port,
      folder: stage.histories,
      signal: ending.signal,
    })
    try {
      await fleet.waitUntilReady()
      fleet.startSending()
      stage.disturb(true)
      for (const { server } of stage.nodes) {
        expect(await server.drain()).toBe('code 0')
        await server.start()
        // As long as an operator's script waits: the node is ready, and its neighbours have noticed.
        await pause(1_000)
      }
      stage.disturb(false)
      await fleet.settle()
      await fleet.comparePresence()
      await fleet.readLog(retainedMessages)
    } finally {
      ending.abort()
      await fleet.close()
    }
    const histories = await readHistories(stage.histories)
    const result = checkHistories(histories, { retainedMessages })
    expect(result.examples).toStrictEqual([])
    expect(result.acked).toBeGreaterThan(300)
    const moves = histories.filter(isPage).map(({ events }) => events.filter(isMove).length)
    expect(Math.max(...moves)).toBeGreaterThan(0)
    expect(Math.max(...moves)).toBeLessThanOrEqual(stage.nodes.length)
  }, 240_000)

  test('CLUSTER-3 a killed node’s sockets are gone from every list within 10 s, a drained one’s at once', async () => {
    const [first, second, third] = stage.nodes
    if (first === undefined || second === undefined || third === undefined) throw new Error('three nodes')
    const on = ({ port }: { port: number }) => createPresenceObserver(port, true)
    const [here, there, ghost] = [on(first), on(second), on(third)]
    const see = (seen: readonly PresenceObserver[], within = busyMachineMs) =>
      waitFor(
        'every list to be true',
        () => {
          const truth = new Set(seen.flatMap((one) => one.socketId() ?? []))
          return truth.size === seen.length && [here, there].every((one) => one.differs(truth).length === 0)
        },
        { timeoutMs: within },
      )
    try {
      await see([here, there, ghost])
      await third.server.kill()
      await see([here, there], ghostsGoneMs + busyMachineMs)
      await third.server.start()
      await see([here, there, ghost])
      const draining = third.server.drain()
      await see([here, there], busyMachineMs)
      await draining
    } finally {
      for (const one of [here, there, ghost]) one.close()
      await third.server.start()
    }
  }, 180_000)
})

/** The last one is our own closing of the page. */
const isMove = (event: History['events'][number]) =>
  event.type === 'disconnected' && event.reason !== 'io client disconnect'
const isPage = ({ events: [first] }: History) => first?.type === 'opened' && first.role === 'returning'
