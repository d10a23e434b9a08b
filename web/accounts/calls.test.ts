import { expect, onTestFinished, test, vi } from 'vitest'
import { call, isCallFailure, retryAtMs } from './calls.ts'

test('ACCOUNTS-1 Retry-After in seconds gives the time of the next attempt, other values are ignored', () => {
  expect(retryAtMs('7', 1_000)).toBe(8_000)
  expect(retryAtMs(null, 1_000)).toBeNull()
  expect(retryAtMs('soon', 1_000)).toBeNull()
})

test('ACCOUNTS-1 only a response with an error status is a call failure', () => {
  expect(isCallFailure(Object.assign(new Error('x'), { rejection: null, retryAtMs: null }))).toBe(true)
  expect(isCallFailure(new TypeError('Failed to fetch'))).toBe(false)
})

test('ACCOUNTS-1 a response without a body, such as that of a logout, is not parsed', async () => {
  vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await call('/login', { method: 'DELETE' })).toBeUndefined()
})
