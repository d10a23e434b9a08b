import { createHash } from 'node:crypto'
import { RefusalError } from '../refusal-error.ts'
import { addressKey, isLoopback } from '../limits/addresses.ts'

const freeFailures = 5
const firstWaitMs = 1_000
const maxWaitMs = 15 * 60_000
const hourMs = 3_600_000
const failuresPerHourAndAddress = 100
/** A pair is forgotten this long after its last failure; the longest wait is over long before. */
const forgetAfterMs = 24 * hourMs
const maxPairs = 100_000
const maxWaiting = 256

interface Pair {
  failures: number
  blockedUntilMs: number
  lastFailureMs: number
}

interface Debt {
  failures: number
  updatedAtMs: number
}

/** Attempts on one pair that are being checked, and those that wait for them. */
interface Gate {
  checking: number
  waiting: (() => void)[]
}

/**
 * Back-off after failed logins. It counts pairs of account and address, so that nobody can lock the owner out from
 * elsewhere, and never asks whether the account exists, so that it tells nobody either.
 */
export function createLoginThrottle(now: () => number = Date.now) {
  // Maps keep the order of insertion: the first entry is the one that failed longest ago.
  const pairs = new Map<string, Pair>()
  const debts = new Map<string, Debt>()
  const gates = new Map<string, Gate>()

  function pairWaitMs(key: string, nowMs: number): number {
    return Math.max(0, (pairs.get(key)?.blockedUntilMs ?? 0) - nowMs)
  }

  function addressWaitMs(key: string, nowMs: number): number {
    const debt = debtNow(key, nowMs)
    return debt < failuresPerHourAndAddress
      ? 0
      : Math.ceil(((debt - failuresPerHourAndAddress + 1) * hourMs) / failuresPerHourAndAddress)
  }

  function debtNow(key: string, nowMs: number): number {
    const debt = debts.get(key)
    if (debt === undefined) return 0
    return Math.max(0, debt.failures - ((nowMs - debt.updatedAtMs) * failuresPerHourAndAddress) / hourMs)
  }

  function notePairFailure(key: string, nowMs: number): void {
    const failures = (pairs.get(key)?.failures ?? 0) + 1
    const waitMs = failures < freeFailures ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - freeFailures))
    pairs.delete(key)
    pairs.set(key, { failures, blockedUntilMs: nowMs + waitMs, lastFailureMs: nowMs })
    for (const [oldest, { lastFailureMs }] of pairs) {
      if (pairs.size <= maxPairs && nowMs - lastFailureMs < forgetAfterMs) break
      pairs.delete(oldest)
    }
  }

  function noteAddressFailure(key: string, nowMs: number): void {
    const failures = debtNow(key, nowMs) + 1
    debts.delete(key)
    debts.set(key, { failures, updatedAtMs: nowMs })
    for (const [oldest, { updatedAtMs }] of debts) {
      if (debts.size <= maxPairs && nowMs - updatedAtMs < hourMs) break
      debts.delete(oldest)
    }
  }

  function refuseIfWaiting(pairKey: string, limitedAddress: string | null): void {
    const nowMs = now()
    const addressMs = limitedAddress === null ? 0 : addressWaitMs(limitedAddress, nowMs)
    const waitMs = Math.max(pairWaitMs(pairKey, nowMs), addressMs)
    if (waitMs > 0)
      throw new RefusalError('rate_limited', 'Too many failed logins. Please wait before trying again.', waitMs)
  }

  /** No more are checked at once than may still fail for free: else a thousand at once would all be free. */
  async function enterGate(pairKey: string, limitedAddress: string | null): Promise<Gate> {
    for (;;) {
      refuseIfWaiting(pairKey, limitedAddress)
      const gate = gates.get(pairKey) ?? { checking: 0, waiting: [] }
      gates.set(pairKey, gate)
      if (gate.checking < Math.max(1, freeFailures - (pairs.get(pairKey)?.failures ?? 0))) {
        gate.checking++
        return gate
      }
      if (gate.waiting.length >= maxWaiting) {
        throw new RefusalError('unavailable', 'Too many logins at once. Please try again.', firstWaitMs)
      }
      await new Promise<void>((resolve) => gate.waiting.push(resolve))
    }
  }

  function leaveGate(pairKey: string, gate: Gate): void {
    gate.checking--
    for (const wake of gate.waiting.splice(0)) wake()
    if (gate.checking === 0) gates.delete(pairKey)
  }

  return {
    /** Runs `check`, whose `null` means a failed login, or refuses when this address has to wait for this account. */
    async guard<Result>(
      accountKey: string,
      address: string,
      check: () => Promise<Result | null>,
    ): Promise<Result | null> {
      const addressPart = addressKey(address)
      const limitedAddress = isLoopback(address) ? null : addressPart
      // Hashed: a key of constant size, whatever was typed.
      const pairKey = createHash('sha256').update(`${addressPart}\n${accountKey}`).digest('base64')
      const gate = await enterGate(pairKey, limitedAddress)
      try {
        const result = await check()
        if (result !== null) pairs.delete(pairKey)
        else {
          notePairFailure(pairKey, now())
          if (limitedAddress !== null) noteAddressFailure(limitedAddress, now())
        }
        return result
      } finally {
        leaveGate(pairKey, gate)
      }
    },
    size: () => pairs.size + debts.size,
  }
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>
