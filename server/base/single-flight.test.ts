import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

/** Returns a single-flight operation whose calls the test settles. */
function createOperation() {
  const calls: PromiseWithResolvers<string>[] = []
  const run = singleFlight(() => {
    const call = Promise.withResolvers<string>()
    calls.push(call)
    return call.promise
  })
  return { run, calls }
}

test('DELIVERY-2 callers that arrive during a call share the next call', async () => {
  const { run, calls } = createOperation()
  const first = run()
  await expect.poll(() => calls.length).toBe(1)
  const later = [run(), run(), run()]
  calls[0]?.resolve('old')
  expect(await first).toBe('old')
  await expect.poll(() => calls.length).toBe(2)
  calls[1]?.resolve('new')
  expect(await Promise.all(later)).toStrictEqual(['new', 'new', 'new'])
  expect(calls).toHaveLength(2)
})

test('DELIVERY-2 a call that fails rejects for its callers only, and the next call runs', async () => {
  const { run, calls } = createOperation()
  const first = run()
  await expect.poll(() => calls.length).toBe(1)
  const second = run()
  calls[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await expect.poll(() => calls.length).toBe(2)
  calls[1]?.resolve('back')
  expect(await second).toBe('back')
})
