import type { Report } from '../../observe/events.ts'
import { type Abilities, lookInside } from './library-internals.ts'

/** Detects which fast paths the installed libraries support, and reports missing internals. `hidden` is for tests. */
export function findAbilities(hidden: readonly string[], report: Report): Abilities {
  const { missing, abilities } = lookInside(hidden)
  if (missing.length > 0) report({ type: 'fast-path-disabled', missing })
  return abilities
}
