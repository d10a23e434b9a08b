import { withDeadline } from '../../../base/with-deadline.ts'
import type { Report } from '../../../observe/events.ts'
import type { Networks } from '../../../limits/addresses.ts'
import { RedisError } from '../redis-error.ts'
import type { RedisLink } from '../redis-link.ts'
import type { RedisReply } from '../redis-connection.ts'
import { type RedisScript, runScript } from '../redis-script.ts'
import { createAttemptLimiter } from '../../../accounts/login/concurrent-attempts.ts'
import { createMemoryLoginLedger, type LoginLedger } from '../../../accounts/login/login-ledger.ts'
import { type LoginAttempt, loginAttempt } from '../../../accounts/login/login-limits.ts'
import { tooManyFailures } from '../../../accounts/login/login-throttle.ts'
import { chargeScript, knowScript, ledgerKeys, registrationScript, recordOutcomeScript } from './ledger-scripts.ts'

interface LedgerOptions {
  /** Returns the time in tests, instead of the clock of Redis. */
  now?: () => number
  /** Maximum time to wait for Redis. Afterwards, the limits of this node apply. */
  deadlineMs?: number
}

type Outcome = 'right' | 'wrong' | 'void'

const defaultDeadlineMs = 1_000
/** Time without calls to Redis after a failure. */
const retryAfterMs = 1_000

/**
 * Counts failed logins and registrations of all nodes in Redis. Each login is charged as a failure first, and refunded
 * unless its password is wrong, so that parallel attempts on several nodes do not exceed the limit. While Redis is
 * unavailable, each node uses only its own counts: logins continue, and an attacker gets the allowed attempts
 * once per node.
 */
export function createRedisLoginLedger(
  link: RedisLink,
  report: Report,
  { now, deadlineMs = defaultDeadlineMs }: LedgerOptions = {},
): LoginLedger {
  const own = createMemoryLoginLedger()
  const attempts = createAttemptLimiter()
  let retryAtMs = 0

  async function run(script: RedisScript, args: readonly string[]): Promise<RedisReply> {
    const connection = await link.connection()
    return runScript(connection, script, ledgerKeys, [now?.() ?? '', ...args])
  }

  /** Runs a script. Resolves to `null` when Redis is unavailable. */
  async function tryRun(script: RedisScript, args: readonly string[]): Promise<RedisReply> {
    if (performance.now() < retryAtMs) return null
    try {
      return await withDeadline(run(script, args), deadlineMs, () => new RedisError('Redis did not respond in time.'))
    } catch (error) {
      retryAtMs = performance.now() + retryAfterMs
      report({ type: 'redis-ledger-failed', error })
      return null
    }
  }

  return {
    async guard(accountKey, address, check) {
      const attempt = loginAttempt(accountKey, address)
      const turn = { key: attempt.pair, maxConcurrent: 1 }
      // Run one attempt per account and address at a time. Each attempt is charged as a failure first, so the sixth of six
      // concurrent correct logins would exceed the allowed failures.
      await attempts.acquire(() => [turn])
      try {
        const charge = await tryRun(chargeScript, attemptArgs(attempt))
        if (!Array.isArray(charge)) return await own.guard(accountKey, address, check)
        const [waitMs, ...charged] = charge
        if (Number(waitMs) > 0) throw tooManyFailures(Number(waitMs))
        let outcome: Outcome = 'void'
        try {
          const result = await check()
          outcome = result === null ? 'wrong' : 'right'
          if (result !== null) await own.addKnownAddress(accountKey, address)
          return result
        } finally {
          await tryRun(recordOutcomeScript, [...attemptArgs(attempt), outcome, ...charged.map(String)])
        }
      } finally {
        attempts.release([attempt.pair])
      }
    },

    async addKnownAddress(accountKey, address) {
      await own.addKnownAddress(accountKey, address)
      await tryRun(knowScript, [loginAttempt(accountKey, address).pair])
    },

    async takeRegistration(networks) {
      if (networks === null) return 0
      const waitMs = await tryRun(registrationScript, networkArgs(networks))
      return waitMs === null ? own.takeRegistration(networks) : Number(waitMs)
    },
  }
}

function attemptArgs({ pair, networkPair, account, networks }: LoginAttempt): string[] {
  return [pair, networkPair ?? '', account, ...networkArgs(networks)]
}

function networkArgs(networks: Networks | null): string[] {
  return [networks?.network ?? '', networks?.site ?? '', networks?.address ?? '']
}
