import { withDeadline } from '../../../base/with-deadline.ts'
import type { Networks } from '../../../limits/addresses.ts'
import { RedisError } from '../redis-error.ts'
import type { RedisLink } from '../redis-link.ts'
import type { RedisReply } from '../redis-connection.ts'
import { type RedisScript, runScript } from '../redis-script.ts'
import { createAttemptLimiter } from '../../../accounts/login/concurrent-attempts.ts'
import { createMemoryLoginLedger, type LoginLedger } from '../../../accounts/login/login-ledger.ts'
import { type LoginAttempt, loginAttempt } from '../../../accounts/login/login-limits.ts'
import { tooManyFailures } from '../../../accounts/login/login-throttle.ts'
import { chargeScript, knowScript, ledgerKeys, registrationScript, settleScript } from './ledger-scripts.ts'

interface LedgerOptions {
  onAway?: (error: unknown) => void
  /** Redis's own, unless a test has another. */
  now?: () => number
  /** A login waits no longer than this for the count: then this node's own limits do. */
  deadlineMs?: number
}

type Outcome = 'right' | 'wrong' | 'void'

const defaultDeadlineMs = 1_000
/** After a failure Redis is left alone this long. */
const restMs = 1_000

/**
 * Counted by all nodes together: each attempt is charged as a failure first and given back when it was none, so that an
 * attacker gains nothing by trying all nodes at once. While Redis is away each node counts by itself, from nothing:
 * logins go on, and an attacker has as many tries as there are nodes.
 */
export function createRedisLoginLedger(
  link: RedisLink,
  { onAway, now, deadlineMs = defaultDeadlineMs }: LedgerOptions = {},
): LoginLedger {
  const own = createMemoryLoginLedger()
  const attempts = createAttemptLimiter()
  let restsUntilMs = 0

  async function run(script: RedisScript, args: readonly string[]): Promise<RedisReply> {
    const connection = await link.connection()
    return runScript(connection, script, ledgerKeys, [now?.() ?? '', ...args])
  }

  /** `null` when Redis could not say. */
  async function ask(script: RedisScript, args: readonly string[]): Promise<RedisReply> {
    if (performance.now() < restsUntilMs) return null
    try {
      return await withDeadline(run(script, args), deadlineMs, () => new RedisError('Redis has not answered in time.'))
    } catch (error) {
      restsUntilMs = performance.now() + restMs
      onAway?.(error)
      return null
    }
  }

  return {
    async guard(accountKey, address, check) {
      const attempt = loginAttempt(accountKey, address)
      const turn = { key: attempt.pair, maxConcurrent: 1 }
      // One after the other: charged at once, the sixth of six right ones would have to wait.
      await attempts.enter(() => [turn])
      try {
        const charge = await ask(chargeScript, wordsOf(attempt))
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
          await ask(settleScript, [...wordsOf(attempt), outcome, ...charged.map(String)])
        }
      } finally {
        attempts.leave([attempt.pair])
      }
    },

    async addKnownAddress(accountKey, address) {
      await own.addKnownAddress(accountKey, address)
      await ask(knowScript, [loginAttempt(accountKey, address).pair])
    },

    async takeRegistration(networks) {
      if (networks === null) return 0
      const waitMs = await ask(registrationScript, wordsOfNetworks(networks))
      return waitMs === null ? own.takeRegistration(networks) : Number(waitMs)
    },
  }
}

function wordsOf({ pair, networkPair, account, networks }: LoginAttempt): string[] {
  return [pair, networkPair ?? '', account, ...wordsOfNetworks(networks)]
}

function wordsOfNetworks(networks: Networks | null): string[] {
  return [networks?.network ?? '', networks?.site ?? '', networks?.address ?? '']
}
