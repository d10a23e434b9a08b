import { createNetworkBuckets } from '../../limits/network-buckets.ts'
import { putNewest } from '../../base/newest-entries.ts'
import { monotonicMs } from '../../base/monotonic-ms.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { AccountKey } from './account-key.ts'
import { createAttemptLimiter } from './concurrent-attempts.ts'
import { createFailureCounter } from './login-failures.ts'
import {
  attackRate,
  type BackOff,
  failureRate,
  loginAttempt,
  perAddress,
  perNetwork,
  underAttack,
} from './login-limits.ts'

export const maxKnownPairs = 20_000

/**
 * Creates the back-off after failed logins. It counts failures per pair of account and address, so that an attacker cannot
 * lock the owner out. Because an attacker can have many addresses, it also counts per account and network, and per account.
 * Because an attacker can try many accounts, it also counts per address and network. An address that is known to the
 * account, from a login or from the registration, is limited only by its own failures.
 */
export function createLoginThrottle(now: () => number = monotonicMs) {
  const failures = createFailureCounter()
  const attempts = createAttemptLimiter()
  const addresses = createNetworkBuckets(failureRate)
  const attacks = createNetworkBuckets(attackRate)
  const known = new Map<string, true>()

  function countersOf(accountKey: AccountKey, address: string) {
    const { pair, account, networkPair, networks } = loginAttempt(accountKey, address)
    const isKnown = known.has(pair)
    return {
      pair,
      account: { address: account, site: null, network: null },
      networkPair: isKnown ? null : networkPair,
      networks: networks !== null && isKnown ? { ...networks, site: null, network: null } : networks,
    }
  }
  type Counters = ReturnType<typeof countersOf>

  function networkBackOff({ account }: Counters, nowMs: number): BackOff {
    return attacks.waitMs(account, nowMs) > 0 ? underAttack : perNetwork
  }

  /** Returns the slots that the attempt needs. Throws if the client must wait before it tries again. */
  function checkBackOff(counters: Counters) {
    const nowMs = now()
    const { pair, networkPair, networks } = counters
    const networkLimit = networkBackOff(counters, nowMs)
    const waitMs = Math.max(
      failures.waitMs(pair, perAddress, nowMs),
      networkPair === null ? 0 : failures.waitMs(networkPair, networkLimit, nowMs),
      addresses.waitMs(networks, nowMs),
    )
    if (waitMs > 0) throw tooManyFailures(waitMs)
    const slot = (key: string, backOff: BackOff) => ({
      key,
      maxConcurrent: backOff.freeFailures - failures.count(key, nowMs),
    })
    return networkPair === null ? [slot(pair, perAddress)] : [slot(pair, perAddress), slot(networkPair, networkLimit)]
  }

  function noteFailure({ pair, networkPair, networks, account }: Counters): void {
    const nowMs = now()
    failures.add(pair, nowMs)
    addresses.spend(networks, nowMs)
    if (networkPair === null) return
    failures.add(networkPair, nowMs)
    attacks.spend(account, nowMs)
  }

  return {
    async guard<Result>(
      accountKey: AccountKey,
      address: string,
      check: () => Promise<Result | null>,
    ): Promise<Result | null> {
      const counters = countersOf(accountKey, address)
      await attempts.acquire(() => checkBackOff(counters))
      try {
        const result = await check()
        if (result === null) noteFailure(counters)
        else {
          failures.clear(counters.pair)
          putNewest(known, counters.pair, true, maxKnownPairs)
        }
        return result
      } finally {
        attempts.release(counters.networkPair === null ? [counters.pair] : [counters.pair, counters.networkPair])
      }
    },
    addKnownAddress(accountKey: AccountKey, address: string): void {
      putNewest(known, loginAttempt(accountKey, address).pair, true, maxKnownPairs)
    },
    size: () => failures.size() + addresses.size() + attacks.size() + known.size,
  }
}

export function tooManyFailures(waitMs: number): RejectionError {
  return new RejectionError('rate_limited', 'Too many failed logins. Please wait before trying again.', waitMs)
}
