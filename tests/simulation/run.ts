import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type LifeOutcome, live } from './simulated-run.ts'
import { drawLife, type LifePlan, shorten } from './plan.ts'

/** The lives that one thread lives: every `step`th seed. */
interface Share {
  firstSeed: number
  endSeed: number
  step: number
}

interface Lived {
  lives: number
  sent: number
  delivered: number
  gaps: number
  failedSeed: number | null
}

if (isMainThread) await main()
else parentPort?.postMessage(await liveShare(workerData as Share))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { lives: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
  })
  const [lives, firstSeed] = [wholeNumber('lives', values.lives), wholeNumber('seed', values.seed)]
  const startedAt = performance.now()
  const threads = Math.min(availableParallelism(), lives)
  const shares = await Promise.all(
    Array.from({ length: threads }, (_, index) =>
      inThread({ firstSeed: firstSeed + index, endSeed: firstSeed + lives, step: threads }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const sum = (count: (share: Lived) => number) => shares.reduce((total, share) => total + count(share), 0)
  const [failedSeed] = shares.flatMap(({ failedSeed: seed }) => seed ?? []).toSorted((a, b) => a - b)
  if (failedSeed !== undefined) await tell(drawLife(failedSeed))
  const verdict = failedSeed === undefined ? 'innocent' : 'GUILTY'
  const counts = [
    `${sum((share) => share.lives)} lives in ${seconds.toFixed(1)} s`,
    `sent ${sum(({ sent }) => sent)}, delivered ${sum(({ delivered }) => delivered)}, gaps ${sum(({ gaps }) => gaps)}`,
  ]
  console.log(`${verdict}: ${counts.join('; ')}`)
  process.exitCode = failedSeed === undefined ? 0 : 1
}

function inThread(share: Share): Promise<Lived> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function liveShare({ firstSeed, endSeed, step }: Share): Promise<Lived> {
  const lived: Lived = { lives: 0, sent: 0, delivered: 0, gaps: 0, failedSeed: null }
  for (let seed = firstSeed; seed < endSeed && lived.failedSeed === null; seed += step) {
    const outcome = await live(drawLife(seed))
    lived.lives++
    lived.sent += outcome.verdict.sent
    lived.delivered += outcome.verdict.delivered
    lived.gaps += outcome.verdict.gaps
    if (isGuilty(outcome)) lived.failedSeed = seed
  }
  return lived
}

function isGuilty({ verdict, broke }: LifeOutcome): boolean {
  return verdict.hasViolations || broke !== null
}

/** The failing life, made as short as it still fails, with everything that was seen in it. */
async function tell(plan: LifePlan): Promise<void> {
  const shortest = await shorten(plan, async (shorter) => isGuilty(await live(shorter)))
  const { verdict, broke, histories } = await live(shortest)
  console.log(`seed ${plan.seed} fails; its shortest form has ${shortest.steps.length} steps:`)
  console.log(JSON.stringify(shortest))
  const trace = histories.flatMap(({ name, events }) => events.map((event) => ({ name, ...event })))
  for (const { at, name, type, ...rest } of trace.toSorted((a, b) => a.at - b.at)) {
    console.log(`${at.toFixed(0).padStart(7)} ms  ${name.padEnd(8)} ${type} ${JSON.stringify(rest)}`)
  }
  for (const { kind, client, detail } of verdict.examples) console.log(`${kind}: ${client}: ${detail}`)
  if (broke !== null) console.log(broke)
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number, not '${text}'`)
  process.exit(2)
}
