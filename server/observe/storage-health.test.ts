import { expect, onTestFinished, test, vi } from 'vitest'
import { createStorageHealth } from './storage-health.ts'

test('REDIS-2 a check that rejects with any value counts as a failure', async () => {
  const reported: unknown[] = []
  const reasons: unknown[] = [new Error('away'), null]
  const check = async () => {
    if (reasons.length > 0) throw reasons.shift()
  }
  const health = createStorageHealth(check, {
    onFailed: (error) => reported.push(error),
    onRecovered: () => reported.push('recovered'),
  })
  onTestFinished(() => health.stop())
  expect(await health.isHealthy()).toBe(false)
  expect(await health.isHealthy()).toBe(false)
  expect(reported).toStrictEqual([new Error('away')])
  expect(await health.isHealthy()).toBe(true)
  expect(reported).toStrictEqual([new Error('away'), 'recovered'])
})

test('OPERATING-2 a check that fails after the stop causes no further check', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { promise, reject } = Promise.withResolvers<void>()
  const health = createStorageHealth(() => promise, { onFailed: () => undefined, onRecovered: () => undefined })
  const result = health.isHealthy()
  health.stop()
  reject(new Error('closed'))
  expect(await result).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})
