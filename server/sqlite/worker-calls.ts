import { parentPort, Worker } from 'node:worker_threads'

type Envelope<Request> = { id: number; request: Request } | 'close'
type Answer<Result> = { id: number; result: Result } | { id: number; error: string; code: number | null }

/** An error that a thread answered with; `code` is SQLite's. */
class StorageError extends Error {
  override name = 'StorageError'
  readonly code: number | null
  constructor(message: string, code: number | null) {
    super(message)
    this.code = code
  }
}

interface Waiting<Result> {
  resolve: (result: Result) => void
  reject: (error: Error) => void
}

/** Starts a thread and turns its messages into calls; answers come in the order of the calls. */
export function startThread<Request, Result>(script: URL, workerData: unknown) {
  const worker = new Worker(script, { workerData })
  const waiting = new Map<number, Waiting<Result>>()
  let lastId = 0
  let failure: Error | null = null

  worker.on('message', (answer: Answer<Result>) => {
    const caller = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) caller?.reject(new StorageError(answer.error, answer.code))
    else caller?.resolve(answer.result)
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new StorageError('The storage thread has ended.', null)))

  function fail(error: Error) {
    failure ??= error
    for (const caller of waiting.values()) caller.reject(failure)
    waiting.clear()
  }

  return {
    call<R extends Result = Result>(request: Request): Promise<R> {
      if (failure !== null) return Promise.reject(failure)
      return new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve: resolve as (result: Result) => void, reject })
        worker.postMessage({ id, request } satisfies Envelope<Request>)
      })
    },
    async close(): Promise<void> {
      if (failure !== null) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage('close' satisfies Envelope<Request>)
      await ended
    },
  }
}

/** The thread's side: answers each call, and closes what it holds before it ends. */
export function serveCalls<Request, Result>(handle: (request: Request) => Result, close: () => void): void {
  const port = parentPort
  if (port === null) throw new Error('serveCalls runs in a worker thread only.')
  port.on('message', (envelope: Envelope<Request>) => {
    if (envelope === 'close') {
      close()
      port.close()
      return
    }
    port.postMessage(answer(envelope.id, () => handle(envelope.request)))
  })
}

function answer<Result>(id: number, work: () => Result): Answer<Result> {
  try {
    return { id, result: work() }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { id, error: message, code: errcode ?? null }
  }
}
