import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type RunOutcome, runPlan } from './simulated-run.ts'
import { drawPlan, type RunPlan, shrink } from './plan.ts'

/** Seeds of one thread: every `step`th one. */
interface Share {
  firstSeed: number
  step: number
  /** Seed at which all threads stop: the end, or the lowest seed that failed. The threads share it. */
  endSeed: BigInt64Array
}

interface ShareResult {
  runs: number
  sent: number
  delivered: number
  gaps: number
  failedSeed: number | null
}

if (isMainThread) await main()
else parentPort?.postMessage(await runShare(workerData as Share))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lives: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  })
  const [runs, firstSeed] = [wholeNumber('lives', values.lives), wholeNumber('seed', values.seed)]
  const startedAt = performance.now()
  const threads = Math.min(wholeNumber('threads', values.threads), runs)
  const endSeed = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  endSeed[0] = BigInt(firstSeed + runs)
  const shareOf = (index: number): Share => ({ firstSeed: firstSeed + index, step: threads, endSeed })
  // A single share runs in this thread: a further thread would load the program again.
  const runOne = threads === 1 ? runShare : runInThread
  const shares = await Promise.all(Array.from({ length: threads }, (_, index) => runOne(shareOf(index))))
  const seconds = (performance.now() - startedAt) / 1_000
  const sum = (count: (share: ShareResult) => number) => shares.reduce((total, share) => total + count(share), 0)
  const [failedSeed] = shares.flatMap(({ failedSeed: seed }) => seed ?? []).toSorted((a, b) => a - b)
  if (failedSeed !== undefined) await printFailure(drawPlan(failedSeed))
  const result = failedSeed === undefined ? 'no violation' : 'VIOLATION'
  const counts = [
    `${sum((share) => share.runs)} runs in ${seconds.toFixed(1)} s`,
    `sent ${sum(({ sent }) => sent)}, delivered ${sum(({ delivered }) => delivered)}, gaps ${sum(({ gaps }) => gaps)}`,
  ]
  console.log(`${result}: ${counts.join('; ')}`)
  process.exitCode = failedSeed === undefined ? 0 : 1
}

function runInThread(share: Share): Promise<ShareResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function runShare({ firstSeed, endSeed, step }: Share): Promise<ShareResult> {
  const shareResult: ShareResult = { runs: 0, sent: 0, delivered: 0, gaps: 0, failedSeed: null }
  for (let seed = firstSeed; seed < Atomics.load(endSeed, 0); seed += step) {
    const outcome = await runPlan(drawPlan(seed))
    shareResult.runs++
    shareResult.sent += outcome.result.sent
    shareResult.delivered += outcome.result.delivered
    shareResult.gaps += outcome.result.gaps
    if (hasFailed(outcome)) {
      shareResult.failedSeed = seed
      lower(endSeed, BigInt(seed))
    }
  }
  return shareResult
}

/** Lowers a shared number unless it is already lower. */
function lower(shared: BigInt64Array, value: bigint): void {
  for (let current = Atomics.load(shared, 0); value < current; current = Atomics.load(shared, 0)) {
    if (Atomics.compareExchange(shared, 0, current, value) === current) return
  }
}

function hasFailed({ result, failure }: RunOutcome): boolean {
  return result.hasViolations || failure !== null
}

/** Shrinks a failing plan and prints it with all events of its run. */
async function printFailure(plan: RunPlan): Promise<void> {
  const smallest = await shrink(plan, async (candidate) => hasFailed(await runPlan(candidate)))
  const { result, failure, histories } = await runPlan(smallest)
  console.log(`seed ${plan.seed} fails; its smallest plan has ${smallest.steps.length} steps:`)
  console.log(JSON.stringify(smallest))
  const trace = histories.flatMap(({ name, events }) => events.map((event) => ({ name, ...event })))
  for (const { at, name, type, ...rest } of trace.toSorted((a, b) => a.at - b.at)) {
    console.log(`${at.toFixed(0).padStart(7)} ms  ${name.padEnd(8)} ${type} ${JSON.stringify(rest)}`)
  }
  for (const { kind, client, detail } of result.examples) console.log(`${kind}: ${client}: ${detail}`)
  if (failure !== null) console.log(failure)
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number, not '${text}'`)
  process.exit(2)
}
