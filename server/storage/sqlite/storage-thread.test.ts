import { expect, onTestFinished, test } from 'vitest'
import { maxUnansweredCalls, startStorageThread } from './storage-thread.ts'

interface TestCalls {
  echo: (text: string) => string
  /** Blocks the thread. */
  sleep: (ms: number) => void
  fail: () => never
  end: () => void
}

// The other side in plain JavaScript: a thread's script is a file, and this one is for the test alone.
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
  const deaths: Error[] = []
  const thread = startStorageThread<TestCalls>({
    script,
    workerData: null,
    stores: 'tests',
    onDied: (error) => deaths.push(error),
  })
  return { thread, deaths }
}

test('STORAGE-4 a call is answered, fails with the cause, and is refused after a close, which is no death', async () => {
  const { thread, deaths } = start()
  expect(await thread.callAtStart('echo', 'first')).toBe('first')
  await expect(thread.call('fail')).rejects.toMatchObject({ name: 'StorageError', message: 'no room', code: 13 })
  expect(await thread.call('echo', 'still there')).toBe('still there')
  await thread.close()
  await expect(thread.call('echo', 'late')).rejects.toThrow(/has ended/)
  expect(deaths).toStrictEqual([])
})

test('STORAGE-4 who waits for a thread that does not answer hears so; what was not begun in time is not begun later', async () => {
  const { thread } = start()
  onTestFinished(() => thread.close())
  await thread.callAtStart('echo', 'awake')
  const asleep = thread.callPatiently('sleep', 7_000)
  const behind = thread.callPatiently('echo', 'behind it')
  await expect(thread.call('echo', 'impatient')).rejects.toThrow('The storage of the tests has not answered for 5 s.')
  expect(await asleep).toBeUndefined()
  await expect(behind).rejects.toThrow(/not begun/)
  expect(await thread.call('echo', 'again')).toBe('again')
})

test('STORAGE-14 what waits for a thread has a bound', async () => {
  const { thread } = start()
  onTestFinished(() => thread.close())
  await thread.callAtStart('echo', 'awake')
  const waiting = Array.from({ length: maxUnansweredCalls }, (_, index) => thread.call('echo', `${index}`))
  await expect(thread.call('echo', 'one too many')).rejects.toThrow(/too much to do/)
  expect(await Promise.all(waiting)).toHaveLength(maxUnansweredCalls)
})

test('STORAGE-3 a thread that ends by itself is a death, told once; all who wait are told', async () => {
  const { thread, deaths } = start()
  await thread.callAtStart('echo', 'awake')
  const results = await Promise.allSettled([thread.call('end'), thread.call('echo', 'behind')])
  expect(results.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  expect(deaths).toHaveLength(1)
})
