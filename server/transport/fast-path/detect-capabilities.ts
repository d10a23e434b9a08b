import type { Logger } from 'pino'
import { type Abilities, lookInside } from './library-internals.ts'

/** What can be done in the fast way with the libraries that are installed; what cannot is told. */
export function findAbilities(hidden: readonly string[] | undefined, log: Logger): Abilities {
  const { missing, abilities } = lookInside(hidden)
  if (missing.length > 0) {
    log.warn({ missing, abilities }, 'an update has changed the inside of a library; the slower ordinary way is taken')
  }
  return abilities
}
