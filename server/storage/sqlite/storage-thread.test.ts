import { expect, onTestFinished, test } from 'vitest'
import { maxPendingCalls, startStorageThread } from './storage-thread.ts'

interface TestCalls {
  echo: (text: string) => string
  /** Blocks the thread for this time. */
  sleep: (ms: number) => void
  fail: () => never
  end: () => void
}

// Worker script of this test, in plain JavaScript, because Node does not strip types from this data URL.
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { serveCalls } from ${JSON.stringify(new URL('./serve-calls.ts', import.meta.url).href)}
    serveCalls({
      handlers: {
        echo: (text) => text,
        sleep: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
        fail: () => { throw Object.assign(new Error('no room'), { errcode: 13 }) },
        end: () => process.exit(1),
      },
      close: () => undefined,
    })`)}`,
)

function start() {
  const exits: Error[] = []
  const thread = startStorageThread<TestCalls>({
    script,
    workerData: null,
    stores: 'tests',
    onDied: (error) => exits.push(error),
  })
  return { thread, exits }
}

test('STORAGE-4 a call resolves or rejects with its cause; calls after close() are rejected and close() is not a crash', async () => {
  const { thread, exits } = start()
  expect(await thread.callAtStart('echo', 'first')).toBe('first')
  await expect(thread.call('fail')).rejects.toMatchObject({ name: 'StorageError', message: 'no room', code: 13 })
  expect(await thread.call('echo', 'still there')).toBe('still there')
  await thread.close()
  await expect(thread.call('echo', 'late')).rejects.toThrow(/has ended/)
  expect(exits).toStrictEqual([])
})

test('STORAGE-4 a call to a blocked thread times out; a call that did not start in time never starts', async () => {
  const { thread } = start()
  onTestFinished(() => thread.close())
  await thread.callAtStart('echo', 'awake')
  const sleeping = thread.callWithoutTimeout('sleep', 7_000)
  const queued = thread.callWithoutTimeout('echo', 'queued')
  await expect(thread.call('echo', 'timed out')).rejects.toThrow('The storage of the tests did not respond within 5 s.')
  expect(await sleeping).toBeUndefined()
  await expect(queued).rejects.toThrow(/not started/)
  expect(await thread.call('echo', 'again')).toBe('again')
})

test('STORAGE-14 the number of pending calls of a storage thread is limited', async () => {
  const { thread } = start()
  onTestFinished(() => thread.close())
  await thread.callAtStart('echo', 'awake')
  const pending = Array.from({ length: maxPendingCalls }, (_, index) => thread.call('echo', `${index}`))
  await expect(thread.call('echo', 'one too many')).rejects.toThrow(/too many pending calls/)
  expect(await Promise.all(pending)).toHaveLength(maxPendingCalls)
})

test('STORAGE-3 a thread that ends unexpectedly is reported once, and all pending calls are rejected', async () => {
  const { thread, exits } = start()
  await thread.callAtStart('echo', 'awake')
  const results = await Promise.allSettled([thread.call('end'), thread.call('echo', 'behind')])
  expect(results.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  expect(exits).toHaveLength(1)
})
