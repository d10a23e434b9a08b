import { setTimeout as pause } from 'node:timers/promises'
import { checkHistories } from '../faults/checker.ts'
import { type ClusterSetup, createClusterSetup } from '../faults/cluster-setup.ts'
import { createFleet } from '../faults/fleet.ts'
import { readHistories } from '../faults/history.ts'
import type { CheckResult } from '../faults/violations.ts'

const retainedMessages = 100_000
/** Time between two restarts, in which all clients send. */
const loadMs = 3_000
/** Time within which a node detects that another node was killed. */
const nodeDetectedMs = 8_000
/** Time for which a node stays paused after Redis is available again. */
const pausedMs = 4_000
/** Time from the start of a reboot until Redis stops. `systemctl reboot` stops all services at the same time. */
const redisStopMs = 300

type Restart = (setup: ClusterSetup, node: ClusterSetup['nodes'][number]) => Promise<unknown>

const drainAll = ({ nodes }: ClusterSetup) => Promise.all(nodes.map(({ server }) => server.drain()))

async function startAll({ redis, nodes }: ClusterSetup): Promise<void> {
  await redis.start()
  await Promise.all(nodes.map(({ server }) => server.start()))
}

/** Restarts of Redis together with a stop, restart or pause of one node or of all nodes. */
export const restarts: Readonly<Record<string, Restart>> = {
  'power failure of all machines': async (setup) => {
    await Promise.all([setup.redis.kill(), ...setup.nodes.map(({ server }) => server.kill())])
    await startAll(setup)
  },
  'graceful shutdown of all processes': async (setup) => {
    await drainAll(setup)
    await setup.redis.kill()
    await startAll(setup)
  },
  reboot: async (setup) => {
    await Promise.all([drainAll(setup), pause(redisStopMs).then(() => setup.redis.kill())])
    await startAll(setup)
  },
  'node and Redis killed together': async ({ redis }, { server }) => {
    await Promise.all([server.kill(), redis.kill()])
    await redis.start()
    await server.start()
  },
  'node killed 8 s before Redis': async ({ redis }, { server }) => {
    await server.kill()
    await pause(nodeDetectedMs)
    await redis.restart()
    await server.start()
  },
  'node killed and back before Redis restarts': async ({ redis }, { server }) => {
    await server.kill()
    await server.start()
    await redis.restart()
  },
  'node paused while Redis restarts': async ({ redis }, { server }) => {
    server.signal('SIGSTOP')
    await redis.restart()
    await pause(pausedMs)
    server.signal('SIGCONT')
  },
  'node drained while Redis is unavailable': async ({ redis }, { server }) => {
    await redis.kill()
    await server.drain()
    await redis.start()
    await server.start()
  },
}

/** Runs the restarts one after another on three nodes under load, and checks the messages that the clients received. */
export async function runRestarts(
  seed: number,
  kinds: readonly string[],
  print: (line: string) => void,
): Promise<CheckResult> {
  const setup = await createClusterSetup(3, retainedMessages)
  const abort = new AbortController()
  try {
    await setup.start()
    const { port: serverPort, histories: folder, nodes } = setup
    const fleet = await createFleet({
      seed,
      control: false,
      serverPort,
      folder,
      signal: abort.signal,
    })
    try {
      await fleet.waitUntilReady()
      fleet.startSending()
      setup.recordFault(true)
      for (const [index, kind] of kinds.entries()) {
        const node = nodes[(seed + index) % nodes.length]
        const restart = restarts[kind]
        if (node === undefined || restart === undefined) throw new Error(`there is no restart '${kind}'`)
        await restart(setup, node)
        await pause(loadMs)
        print(`${kind}: delivered ${fleet.deliveries()}`)
      }
      setup.recordFault(false)
      await fleet.settle()
      await fleet.readLog(retainedMessages)
    } finally {
      abort.abort()
      await fleet.close()
    }
    const result = checkHistories(await readHistories(folder), { retainedMessages, isShared: true })
    if (result.hasViolations) print(`histories: ${await setup.saveHistories(`restarts-${seed}`)}`)
    return result
  } finally {
    await setup.close()
    await setup.remove()
  }
}
