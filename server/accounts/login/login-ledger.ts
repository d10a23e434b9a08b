import type { Networks } from '../../limits/addresses.ts'
import { createNetworkBuckets } from '../../limits/network-buckets.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { registrationRate } from './login-limits.ts'

/** Who has failed to log in how often, and who has registered. Every implementation passes `login-ledger.suite.ts`. */
export interface LoginLedger {
  /** Runs `check`, whose `null` means a failed login, or refuses when this address has to wait for this account. */
  guard<Result>(accountKey: string, address: string, check: () => Promise<Result | null>): Promise<Result | null>
  /** Whoever registers an account is known to it from the start. */
  addKnownAddress(accountKey: string, address: string): Promise<void>
  /** 0 when these networks may register one more, which is counted; otherwise how many ms until they may. */
  takeRegistration(networks: Networks | null): Promise<number>
}

/** In the memory of one process. */
export function createMemoryLoginLedger(now: () => number = Date.now): LoginLedger {
  const throttle = createLoginThrottle(now)
  const registrations = createNetworkBuckets(registrationRate)
  return {
    guard: (accountKey, address, check) => throttle.guard(accountKey, address, check),
    addKnownAddress: async (accountKey, address) => throttle.addKnownAddress(accountKey, address),
    takeRegistration: async (networks) => registrations.take(networks, now()),
  }
}
