import { expect, onTestFinished, test } from 'vitest'
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
