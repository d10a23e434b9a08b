import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { collectEvents } from '../../observe/events.suite.ts'
import { sweepTokens } from './token-sweep.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => void vi.useRealTimers()
})

/** Starts the sweep of a store whose deletions fail while `isAway` is true, and records its calls. */
function startSweep() {
  const calls: string[] = []
  const storage = { isAway: true }
  const store = {
    async deleteExpired() {
      calls.push('delete')
      if (storage.isAway) throw new Error('away')
    },
  }
  const sessions = { closeExpired: async () => void calls.push('close') }
  const { report, of } = collectEvents()
  const { stop } = sweepTokens({ store, sessions, report })
  onTestFinished(stop)
  return { calls, storage, stop, failures: () => of('token-sweep-failed').length }
}

test('SESSIONS-1 the connections of expired tokens are closed although the deletion of the tokens fails', async () => {
  const { calls, failures } = startSweep()
  await vi.advanceTimersByTimeAsync(0)
  expect(calls).toStrictEqual(['delete', 'close'])
  expect(failures()).toBe(1)
})

test('SESSIONS-1 a failed sweep of tokens is repeated every minute until it succeeds, then every hour', async () => {
  const { calls, storage, failures } = startSweep()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(failures()).toBe(2)
  storage.isAway = false
  await vi.advanceTimersByTimeAsync(60_000)
  calls.length = 0
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(calls).toStrictEqual(['delete', 'close'])
  expect(failures()).toBe(2)
})

test('OPERATING-2 a stopped sweep of tokens is not repeated', async () => {
  const { calls, stop } = startSweep()
  await vi.advanceTimersByTimeAsync(0)
  stop()
  calls.length = 0
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(calls).toStrictEqual([])
})
