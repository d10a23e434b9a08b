import { expect, onTestFinished, test, vi } from 'vitest'
import { StorageError } from '../base/storage-error.ts'
import { createChangePublisher } from './publish-change.ts'

test('MODERATION-19 two changes that fail to be published are not published again after the stop', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let attempts = 0
  const publish = async () => {
    attempts++
    throw new StorageError('away')
  }
  const publisher = createChangePublisher({ reload: async () => undefined }, { publish })
  await Promise.all([publisher.publish(), publisher.publish()])
  expect(attempts).toBe(2)
  publisher.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(attempts).toBe(2)
})
