import { availableParallelism } from 'node:os'

/** A server that is measured gets a core for itself, everything that loads it gets another. */
export const serverCore = 0
export const loadCore = Math.min(1, availableParallelism() - 1)

export function pinned(core: number, command: string[]): [string, string[]] {
  return ['taskset', ['-c', String(core), ...command]]
}
