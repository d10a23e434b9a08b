import { readSettings } from '../../../server/config/settings.ts'
import { networkMultiplier } from '../../../server/limits/network-buckets.ts'
import type { Rate } from '../../../server/limits/token-bucket.ts'
import { count } from '../figures.ts'

/** Row of docs/limits.md. */
export interface Limit {
  what: string
  limit: string
  /** Consequence of exceeding the limit. */
  beyond: string
  /** Ids of the requirements whose tests reach this limit. */
  tests: string
}

/** Settings with their default values. */
export const defaults = readSettings({})

export const perMinute = ({ perSecond, burst }: Rate) => `${count(perSecond * 60)} per minute, burst ${count(burst)}`
export const perSecond = ({ perSecond: rate, burst }: Rate) => `${count(rate)} per second, burst ${count(burst)}`

/** Text with the rates of wider networks, as multiples of the rate of one address. */
export const wider = `${networkMultiplier.site} × for a /56, ${networkMultiplier.network} × for a /48 or IPv4 /24`
