import { availableParallelism } from 'node:os'

/**
 * Cores of a measurement: one for the measured server, and another, if the machine has several, for the load
 * generators.
 */
export const serverCore = 0
export const loadCore = Math.min(1, availableParallelism() - 1)

export function pinned(core: number, command: string[]): [string, string[]] {
  return ['taskset', ['-c', String(core), ...command]]
}
