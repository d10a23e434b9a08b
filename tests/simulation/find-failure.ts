import { drawPlan, shrink } from './plan.ts'
import { type RunOutcome, runPlan } from './simulated-run.ts'

/** Seeds of one thread: every `step`th seed from `firstSeed` on. */
export interface Share {
  firstSeed: number
  step: number
  /** Seed before which all threads stop: the end of the range or the lowest failed seed. The threads share this value. */
  endSeed: BigInt64Array
}

export interface ShareResult {
  runs: number
  sent: number
  delivered: number
  gaps: number
  failedSeed: number | null
}

/** Runs the seeds of a share in order, up to the lowest seed that has failed in any share. */
export async function runShare({ firstSeed, endSeed, step }: Share): Promise<ShareResult> {
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

/**
 * Shrinks the plan of a failing seed. Returns lines that show the smallest plan with all events and violations of its
 * run.
 */
export async function shrinkAndDescribe(seed: number): Promise<string[]> {
  const smallest = await shrink(drawPlan(seed), async (candidate) => hasFailed(await runPlan(candidate)))
  const { result, failure, histories } = await runPlan(smallest)
  const trace = histories.flatMap(({ name, events }) => events.map((event) => ({ name, ...event })))
  return [
    `seed ${seed} fails; its smallest plan has ${smallest.steps.length} steps:`,
    JSON.stringify(smallest),
    ...trace
      .toSorted((a, b) => a.at - b.at)
      .map(
        ({ at, name, type, ...rest }) =>
          `${at.toFixed(0).padStart(7)} ms  ${name.padEnd(8)} ${type} ${JSON.stringify(rest)}`,
      ),
    ...result.examples.map(({ kind, client, detail }) => `${kind}: ${client}: ${detail}`),
    ...(failure === null ? [] : [failure]),
  ]
}

/**
 * Runs seeds in this thread until one fails. Returns the lines of `shrinkAndDescribe`, or no lines if no seed fails.
 */
export async function findFailure(firstSeed: number, runs: number): Promise<string[]> {
  const endSeed = new BigInt64Array([BigInt(firstSeed + runs)])
  const { failedSeed } = await runShare({ firstSeed, step: 1, endSeed })
  return failedSeed === null ? [] : shrinkAndDescribe(failedSeed)
}
