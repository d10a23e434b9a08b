import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { checkHistories } from './checker.ts'
import { createFleet, rosterSize } from './fleet.ts'
import { createHistoryWriter, readHistories } from './history.ts'
import { createNemesis, type Tally } from './nemesis.ts'
import { drawSchedule } from './schedule.ts'
import { createServerProcess, findFreePort } from './server-process.ts'
import type { Verdict } from './verdict.ts'

const root = join(import.meta.dirname, '../..')
const progressEveryMs = 10_000
/** The server's default: no run comes near it, so the log can bridge every absence. */
const retainedMessages = 100_000

export interface RunOptions {
  seed: number
  seconds: number
  /** Against stock Socket.IO instead of our server. */
  control?: boolean
  say?: (line: string) => void
}

export interface Outcome {
  verdict: Verdict
  tally: Tally
  seconds: number
  /** Why the run ended before its time, or did not come to rest. */
  broke: string | null
  guilty: boolean
  /** Where the histories of a guilty run are, relative to the project. */
  kept: string | null
}

/** One run: a real server, its clients, the faults of the seed; then rest, and the checker. */
export async function runFaults({
  seed,
  seconds,
  control = false,
  say = () => undefined,
}: RunOptions): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'chat-faults-'))
  const dataDir = join(folder, 'data')
  const histories = join(folder, 'histories')
  await Promise.all([mkdir(dataDir), mkdir(histories)])
  const port = await findFreePort()
  const keeper = createHistoryWriter(histories, 'server')
  keeper.record({ type: 'opened', role: 'server' })
  const server = createServerProcess({
    port,
    entry: join(root, control ? 'tests/faults/control-server.ts' : 'server/main.ts'),
    env: { DATA_DIR: dataDir, MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0', MAX_CONNECTIONS_PER_IP: '0' },
    logFile: join(histories, 'server.log'),
    record: keeper.record,
  })
  await server.start()
  const fleet = await createFleet({ seed, control, serverPort: port, folder: histories })
  const nemesis = createNemesis({ schedule: drawSchedule({ seed, seconds, clients: rosterSize }), server, fleet })

  const startedAt = performance.now()
  const elapsedSeconds = () => Math.round((performance.now() - startedAt) / 1_000)
  const progress = setInterval(() => {
    const { kills, cuts, stops, drains } = nemesis.tally
    say(
      `${elapsedSeconds()} s: delivered ${fleet.deliveries()}, kills ${kills}, cuts ${cuts}, stops ${stops}, drains ${drains}`,
    )
  }, progressEveryMs)

  let broke: string | null = null
  const story = async () => {
    await fleet.everyoneReady()
    fleet.startSending()
    await nemesis.run(seconds)
    for (const proxy of fleet.proxies) proxy.resume()
    say(`${elapsedSeconds()} s: the faults are over`)
    await fleet.settle()
  }
  try {
    await Promise.race([story(), server.crashed])
  } catch (error) {
    broke = `${error instanceof Error ? error.message : String(error)} (unsettled: ${fleet.unsettled().join(', ') || 'nobody'})`
  }
  clearInterval(progress)
  const took = elapsedSeconds()
  await fleet.close()
  await server.close()
  await keeper.close()

  const verdict = checkHistories(await readHistories(histories), { retainedMessages })
  const guilty = verdict.guilty || broke !== null
  const kept = guilty ? await keep(histories, control ? `control-${seed}` : String(seed)) : null
  await rm(folder, { recursive: true, force: true })
  return { verdict, tally: nemesis.tally, seconds: took, broke, guilty, kept }
}

async function keep(histories: string, name: string): Promise<string> {
  const place = join(root, 'test-results/faults', name)
  await rm(place, { recursive: true, force: true })
  await cp(histories, place, { recursive: true })
  return relative(root, place)
}
