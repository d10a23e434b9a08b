import { checkHistories } from './checker.ts'
import { createFleet, rosterSize } from './fleet.ts'
import { readHistories } from './history.ts'
import { createNemesis, type Tally } from './nemesis.ts'
import { drawSchedule } from './schedule.ts'
import { setStage } from './stage.ts'
import type { Verdict } from './verdict.ts'

const progressEveryMs = 10_000
/** The server's default: no run comes near it, so the log can bridge every absence. */
const defaultRetainedMessages = 100_000

export interface RunOptions {
  seed: number
  seconds: number
  /** Against stock Socket.IO instead of our server. */
  control?: boolean
  /** How many messages the log keeps. */
  retainedMessages?: number
  mutant?: string
  say?: (line: string) => void
}

export interface Outcome {
  verdict: Verdict
  tally: Tally
  /** From the first message to the last fault. */
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
  retainedMessages = defaultRetainedMessages,
  mutant,
  say = () => undefined,
}: RunOptions): Promise<Outcome> {
  const stage = await setStage({ control, retainedMessages, ...(mutant !== undefined && { mutant }) })
  const { server, port, histories } = stage
  const ending = new AbortController()
  const { signal } = ending
  await server.start()
  const fleet = await createFleet({ seed, control, serverPort: port, folder: histories, signal })
  const schedule = drawSchedule({ seed, seconds, clients: rosterSize, control })
  const nemesis = createNemesis({ schedule, stage, fleet, signal })

  const startedAt = performance.now()
  const elapsedSeconds = () => Math.round((performance.now() - startedAt) / 1_000)
  let took = 0
  const progress = setInterval(() => {
    const { kills, cuts, stops, drains } = nemesis.tally
    const faults = `kills ${kills}, cuts ${cuts}, stops ${stops}, drains ${drains}`
    say(`${elapsedSeconds()} s: delivered ${fleet.deliveries()}, ${faults}`)
  }, progressEveryMs)

  async function story(): Promise<void> {
    await fleet.everyoneReady()
    fleet.startSending()
    await nemesis.run(seconds)
    took = elapsedSeconds()
    for (const proxy of fleet.proxies) proxy.resume()
    say(`${took} s: the faults are over`)
    await fleet.settle()
    if (control) return
    await fleet.comparePresence()
    await fleet.readLog(retainedMessages)
  }

  let broke: string | null = null
  const told = story()
  try {
    await Promise.race([told, server.crashed])
  } catch (error) {
    const unsettled = fleet.unsettled().join(', ') || 'nobody'
    broke = `${error instanceof Error ? error.message : String(error)} (unsettled: ${unsettled})`
  }
  if (broke !== null) took = elapsedSeconds()
  // A run that broke must not go on in the background of the next one.
  ending.abort()
  await Promise.allSettled([told])
  clearInterval(progress)
  await fleet.close()
  await stage.close()

  const verdict = checkHistories(await readHistories(histories), { retainedMessages })
  const guilty = verdict.guilty || broke !== null
  const kept = guilty ? await stage.keep(control ? `control-${seed}` : String(seed)) : null
  await stage.clear()
  return { verdict, tally: nemesis.tally, seconds: took, broke, guilty, kept }
}
