import { existsSync, readFileSync, rmSync } from 'node:fs'

/** Maximum CPU time of one turn of the event loop. */
export const maxTurnMs = 20
/** Environment variable with the path of the file to which `watch-turns.ts` writes. */
export const slowTurnsVariable = 'SLOW_TURNS_FILE'
/** Time for which the server may work on a case after its client has finished. */
const slackMs = 50
/**
 * Number of repeated runs of a case. A case that takes too long in each of them is a finding. Compilation and garbage
 * collection do not repeat.
 */
const confirmingRuns = 3

export interface SlowTurn {
  startMs: number
  endMs: number
  costMs: number
}

interface DrivenCase {
  seed: string
  startMs: number
  endMs: number
}

/** Finds the cases that block the event loop, among many that run at the same time. */
export function createSlowTurnFinder(file: string) {
  let driven: DrivenCase[] = []

  function takeTurns(): SlowTurn[] {
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').split('\n')
    rmSync(file)
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SlowTurn]))
  }

  /** Returns the lowest cost of several runs of a case alone; 0 if a run is within the limit. */
  async function confirm(run: () => Promise<void>): Promise<number> {
    let lowestMs = Number.POSITIVE_INFINITY
    for (let i = 0; i < confirmingRuns; i++) {
      takeTurns()
      await run()
      const costsMs = takeTurns().map(({ costMs }) => costMs)
      if (costsMs.length === 0) return 0
      lowestMs = Math.min(lowestMs, Math.max(...costsMs))
    }
    return lowestMs
  }

  return {
    add: (one: DrivenCase) => void driven.push(one),
    /**
     * Runs each case that was in progress during a slow turn again, alone. Returns the number of slow turns and the
     * cases that are slow each time.
     */
    async findCauses(run: (seed: string) => Promise<void>): Promise<{ turns: number; causes: string[] }> {
      const turns = takeTurns()
      const suspects = driven.filter(({ startMs, endMs }) =>
        turns.some((turn) => startMs <= turn.endMs && endMs + slackMs >= turn.startMs),
      )
      driven = []
      const causes: string[] = []
      for (const { seed } of suspects) {
        const costMs = await confirm(() => run(seed))
        if (costMs > 0) causes.push(`the case ${seed} blocks the event loop for ${costMs.toFixed(1)} ms`)
      }
      return { turns: turns.length, causes }
    },
  }
}
