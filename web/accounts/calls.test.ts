import { expect, test } from 'vitest'
import { isCallFailure, retryAtMs } from './calls.ts'

test('ACCOUNTS-1 Retry-After in seconds is counted from now; anything else is no countdown', () => {
  expect(retryAtMs('7', 1_000)).toBe(8_000)
  expect(retryAtMs(null, 1_000)).toBeNull()
  expect(retryAtMs('soon', 1_000)).toBeNull()
})

test('ACCOUNTS-1 only what the server refused is a call failure', () => {
  expect(isCallFailure(Object.assign(new Error('x'), { rejection: null, retryAtMs: null }))).toBe(true)
  expect(isCallFailure(new TypeError('Failed to fetch'))).toBe(false)
})
