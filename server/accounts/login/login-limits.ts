import { createHash } from 'node:crypto'
import { limitedNetworks, type Networks, networksOf, widestNetwork } from '../../limits/addresses.ts'
import { networkMultiplier } from '../../limits/network-buckets.ts'
import type { Rate } from '../../limits/token-bucket.ts'
import type { AccountKey } from './account-key.ts'

/** Exponential back-off: `freeFailures` without a wait, then a wait that doubles with each failure, up to `maxWaitMs`. */
export interface BackOff {
  freeFailures: number
  firstWaitMs: number
  maxWaitMs: number
}

const hourSeconds = 3_600
const maxWaitMs = (hourSeconds / 4) * 1_000
/** Lifetime of failures after the last one. It is longer than the longest wait. */
export const failureLifetimeMs = 24 * hourSeconds * 1_000

export const perAddress: BackOff = { freeFailures: 5, firstWaitMs: 1_000, maxWaitMs }
export const perNetwork: BackOff = { ...perAddress, freeFailures: perAddress.freeFailures * networkMultiplier.network }
/** Back-off of a network for an account under attack. Addresses that are known to the account are exempt. */
export const underAttack: BackOff = { freeFailures: 1, firstWaitMs: 60_000, maxWaitMs }
/** Number of failed logins per hour, from addresses that are not known to the account, that count as an attack on it. */
const attackFailures = 50
export const attackRate: Rate = { perSecond: attackFailures / hourSeconds, burst: attackFailures }
const failuresPerHour = 100
/** Rate limit of the failed logins of one address, over all accounts. */
export const failureRate: Rate = { perSecond: failuresPerHour / hourSeconds, burst: failuresPerHour }
/**
 * Rate limit of the registrations of one address. The burst is enough for a school class. The limit of a network
 * is a multiple of this one: see `networkMultiplier`.
 */
export const registrationRate: Rate = { perSecond: 1 / 60, burst: 30 }

/** Keys by which a login attempt is counted. Loopback has no network, because all clients behind a local proxy share it. */
export interface LoginAttempt {
  /** Key of the account and the address. */
  pair: string
  /** Key of the account and the widest network of the address; `null` on loopback. */
  networkPair: string | null
  account: string
  networks: Networks | null
}

/** Returns the keys of an attempt. They do not depend on whether the account exists, so the back-off does not reveal it. */
export function loginAttempt(accountKey: AccountKey, address: string): LoginAttempt {
  const networks = limitedNetworks(address)
  const all = networksOf(address)
  return {
    pair: digest(all.address, accountKey),
    networkPair: networks === null ? null : digest(widestNetwork(all), accountKey),
    account: digest(accountKey),
    networks,
  }
}

/** Returns a key of constant size. */
function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)
}
