import { monotonicMs } from '../../base/monotonic-ms.ts'
import type { Networks } from '../../limits/addresses.ts'
import { createNetworkBuckets } from '../../limits/network-buckets.ts'
import type { AccountKey } from './account-key.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { registrationRate } from './login-limits.ts'

/** Counter of failed logins and of registrations. Every implementation passes `login-ledger.suite.ts`. */
export interface LoginLedger {
  /** Runs `check`, which returns `null` for a failed login. Rejects without running it if the client must wait. */
  guard<Result>(accountKey: AccountKey, address: string, check: () => Promise<Result | null>): Promise<Result | null>
  /** Marks an address as known to an account, as after a successful login. */
  addKnownAddress(accountKey: AccountKey, address: string): Promise<void>
  /** Counts a registration and returns 0, or returns the time until these networks may register again. */
  takeRegistration(networks: Networks | null): Promise<number>
}

/** Creates a ledger in the memory of one process. */
export function createMemoryLoginLedger(now: () => number = monotonicMs): LoginLedger {
  const throttle = createLoginThrottle(now)
  const registrations = createNetworkBuckets(registrationRate)
  return {
    guard: (accountKey, address, check) => throttle.guard(accountKey, address, check),
    addKnownAddress: async (accountKey, address) => throttle.addKnownAddress(accountKey, address),
    takeRegistration: async (networks) => registrations.take(networks, now()),
  }
}
