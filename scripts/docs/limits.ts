import { addressLimits } from './limits/addresses.ts'
import { incomingLimits } from './limits/incoming.ts'
import type { Limit } from './limits/limit.ts'
import { loginLimits } from './limits/logins.ts'
import { moderationLimits } from './limits/moderation.ts'
import { outgoingLimits } from './limits/outgoing.ts'
import { pageLimits } from './limits/page.ts'
import { textLimits } from './limits/texts.ts'
import { totalLimits } from './limits/totals.ts'
import { table } from './tables.ts'

const groups: readonly (readonly [title: string, limits: readonly Limit[]])[] = [
  ['Texts and time', textLimits],
  ['What one connection sends', incomingLimits],
  ['What the server queues for one connection', outgoingLimits],
  ['What one address or network uses', addressLimits],
  ['Logins and accounts', loginLimits],
  ['Moderation', moderationLimits],
  ['Totals of the process', totalLimits],
  ['What a page keeps', pageLimits],
]

/** Returns the tables of all limits, with the values of the code at default settings. */
export function limitsTables(): string {
  return groups
    .map(([title, limits]) => {
      const rows = limits.map(({ what, limit, beyond, tests }) => [what, limit, beyond, tests])
      return `## ${title}\n\n${table(['what', 'limit', 'beyond it', 'tests'], rows)}`
    })
    .join('\n\n')
}
