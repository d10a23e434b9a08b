import { importMutated } from '../faults/import-mutated.ts'
import type { findFailure } from './find-failure.ts'

/** Seeds to try for a mutant. */
interface Seeds {
  first: number
  count: number
}

// This script runs seeds with each given mutant until a seed reveals the mutant, and prints the description of each
// failure. One process runs the seeds for all mutants, because loading the libraries takes longer than the runs of a
// mutant.
const seeds = JSON.parse(process.argv[2] ?? '{}') as Record<string, Seeds>
const found: Record<string, string[]> = {}
for (const [name, { first, count }] of Object.entries(seeds)) {
  const module = new URL('find-failure.ts', import.meta.url)
  const mutated = (await importMutated(module, name)) as { findFailure: typeof findFailure }
  found[name] = await mutated.findFailure(first, count)
}
console.log(JSON.stringify(found))
