import { expect, onTestFinished, test, vi } from 'vitest'
import { UnreachableFileError } from './fetch-before-import.ts'
import { createOnDemand, isCodeMissing } from './on-demand.ts'

function startLoad(error: Error) {
  vi.useFakeTimers()
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    isCodeMissing.set(false)
  })
  const fetch = vi.fn<() => Promise<string>>().mockRejectedValue(error)
  createOnDemand(fetch).load()
  return { fetch, consoleError }
}

test('OPERATING-4 code that the server does not have is reported once and requested twice a minute, until a node has it', async () => {
  const { fetch, consoleError } = startLoad(new Error('/assets/part.js does not exist'))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(consoleError).toHaveBeenCalledOnce()
  expect(isCodeMissing.get()).toBe(true)
  fetch.mockResolvedValue('the code')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(isCodeMissing.get()).toBe(false)
})

test('ENGINES-6 unreachable code is requested again, without console errors, until it arrives', async () => {
  const { fetch, consoleError } = startLoad(new UnreachableFileError())
  await vi.advanceTimersByTimeAsync(20_000)
  expect(fetch.mock.calls.length).toBeGreaterThan(5)
  fetch.mockResolvedValue('the code')
  await vi.advanceTimersByTimeAsync(2_000)
  const requests = fetch.mock.calls.length
  await vi.advanceTimersByTimeAsync(20_000)
  expect(fetch).toHaveBeenCalledTimes(requests)
  expect(consoleError).not.toHaveBeenCalled()
  expect(isCodeMissing.get()).toBe(false)
})
