import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Share, ShareResult } from './find-failure.ts'

if (isMainThread) await main()
else parentPort?.postMessage(await runHere(workerData as Share))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lives: { type: 'string', default: '2000' },
      seed: { type: 'string', multiple: true, default: ['1'] },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  })
  const runs = wholeNumber('lives', values.lives)
  const threads = Math.min(wholeNumber('threads', values.threads), runs)
  for (const seed of values.seed) await runFrom(wholeNumber('seed', seed), runs, threads)
}

/** Runs the seeds from `firstSeed` on, and prints the result. */
async function runFrom(firstSeed: number, runs: number, threads: number): Promise<void> {
  const startedAt = performance.now()
  const endSeed = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  endSeed[0] = BigInt(firstSeed + runs)
  const shareOf = (index: number): Share => ({ firstSeed: firstSeed + index, step: threads, endSeed })
  // A single share runs in this thread, which saves the start of a worker.
  const runOne = threads === 1 ? runHere : runInThread
  const shares = await Promise.all(Array.from({ length: threads }, (_, index) => runOne(shareOf(index))))
  const seconds = (performance.now() - startedAt) / 1_000
  const sum = (count: (share: ShareResult) => number) => shares.reduce((total, share) => total + count(share), 0)
  const [failedSeed] = shares.flatMap(({ failedSeed: seed }) => seed ?? []).toSorted((a, b) => a - b)
  if (failedSeed !== undefined) console.log((await describeFailure(failedSeed)).join('\n'))
  const result = failedSeed === undefined ? 'no violation' : 'VIOLATION'
  const counts = [
    `${sum((share) => share.runs)} runs in ${seconds.toFixed(1)} s`,
    `sent ${sum(({ sent }) => sent)}, delivered ${sum(({ delivered }) => delivered)}, gaps ${sum(({ gaps }) => gaps)}`,
  ]
  console.log(`${result}: ${counts.join('; ')}`)
  if (failedSeed !== undefined) process.exitCode = 1
}

// These functions import dynamically: a static import would load the program in a thread that only waits for other
// threads.
async function runHere(share: Share): Promise<ShareResult> {
  const { runShare } = await import('./find-failure.ts')
  return runShare(share)
}

async function describeFailure(seed: number): Promise<string[]> {
  const { shrinkAndDescribe } = await import('./find-failure.ts')
  return shrinkAndDescribe(seed)
}

function runInThread(share: Share): Promise<ShareResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number, not '${text}'`)
  process.exit(2)
}
