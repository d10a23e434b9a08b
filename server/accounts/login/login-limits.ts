import { createHash } from 'node:crypto'
import { limitedNetworks, type Networks, networksOf, widestNetwork } from '../../limits/addresses.ts'
import { networkMultiplier } from '../../limits/network-buckets.ts'
import type { Rate } from '../../limits/token-bucket.ts'

/** Failures that cost nothing, then a wait that doubles with each further one. */
export interface BackOff {
  freeFailures: number
  firstWaitMs: number
  maxWaitMs: number
}

const hourSeconds = 3_600
const maxWaitMs = (hourSeconds / 4) * 1_000
/** Failures are forgotten this long after the last one; the longest wait is over long before. */
export const failureLifetimeMs = 24 * hourSeconds * 1_000

export const perAddress: BackOff = { freeFailures: 5, firstWaitMs: 1_000, maxWaitMs }
export const perNetwork: BackOff = { ...perAddress, freeFailures: perAddress.freeFailures * networkMultiplier.network }
/** For a network from which nobody has logged into an account under attack: one try, then a minute and longer. */
export const underAttack: BackOff = { freeFailures: 1, firstWaitMs: 60_000, maxWaitMs }
/** So many failures within an hour, from addresses that never logged in, are an attack on an account. */
const attackFailures = 50
export const attackRate: Rate = { perSecond: attackFailures / hourSeconds, burst: attackFailures }
const failuresPerHour = 100
/** What one address may get wrong, over all accounts. */
export const failureRate: Rate = { perSecond: failuresPerHour / hourSeconds, burst: failuresPerHour }
/** Per address: what a class of thirty needs at once, then one a minute. */
export const registrationRate: Rate = { perSecond: 1 / 60, burst: 30 }

/** What an attempt to log in is counted by; loopback is no network, but everybody behind an unnamed proxy. */
export interface LoginAttempt {
  /** The account and the address. */
  pair: string
  /** The account and the widest network of the address; `null` on loopback. */
  networkPair: string | null
  account: string
  networks: Networks | null
}

/** It never asks whether the account exists: so it tells nobody either. */
export function loginAttempt(accountKey: string, address: string): LoginAttempt {
  const networks = limitedNetworks(address)
  const all = networksOf(address)
  return {
    pair: digest(all.address, accountKey),
    networkPair: networks === null ? null : digest(widestNetwork(all), accountKey),
    account: digest(accountKey),
    networks,
  }
}

/** A key of constant size, whatever was typed. */
function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)
}
