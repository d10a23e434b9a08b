import { Worker } from 'node:worker_threads'
import { withDeadline } from '../../base/with-deadline.ts'
import { StartError } from '../../base/start-error.ts'
import { StorageError } from '../../base/storage-error.ts'
import { type Answer, type CallMap, type Envelope, monotonicMs } from './thread-messages.ts'

/** A caller hears within this time, whatever the disk does; SQLite's own wait for a lock is shorter. */
export const storageDeadlineMs = 5_000
/** A thread that hangs in a system call cannot be ended; nobody waits for it longer than this. */
const closeDeadlineMs = 2_000

/** A thread that hangs answers nobody: beyond these, a call is refused at once instead of waiting in memory. */
export const maxUnansweredCalls = 10_000

const threadEntry = new URL('./storage-worker.ts', import.meta.url)

interface ThreadOptions {
  script: URL
  workerData: unknown
  /** Names what it stores, in errors: 'messages', 'accounts'. */
  stores: string
  /** It ended without having been asked to: what it held is safe on the disk, but nothing more can be stored. */
  onDied: (error: Error) => void
}

interface Caller {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

type Result<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: never[]) => infer R ? Awaited<R> : never
type Args<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: infer A) => unknown ? A : never

/** Starts a thread and turns its messages into calls; answers come in the order of the calls. */
export function startStorageThread<Calls extends CallMap<Calls>>({
  script,
  workerData,
  stores,
  onDied,
}: ThreadOptions) {
  const worker = new Worker(threadEntry, { workerData, argv: [script.href] })
  const callers = new Map<number, Caller>()
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let lastId = 0
  let failure: Error | null = null
  let closing = false

  worker.on('message', (answer: Answer) => {
    const caller = callers.get(answer.id)
    callers.delete(answer.id)
    if (answer.kind === 'error') caller?.reject(errorOf(answer))
    else caller?.resolve(answer.result)
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new StorageError(`The storage thread of the ${stores} has ended.`)))

  function fail(error: Error): void {
    if (failure !== null) return
    failure = error
    for (const caller of callers.values()) caller.reject(error)
    callers.clear()
    if (!closing) onDied(error)
  }

  function post<Name extends keyof Calls & string>(startByMs: number, name: Name, args: Args<Calls, Name>) {
    return new Promise<Result<Calls, Name>>((resolve, reject) => {
      const refusal = failure ?? (callers.size >= maxUnansweredCalls ? busyError(stores) : null)
      if (refusal !== null) {
        reject(refusal)
        return
      }
      const id = ++lastId
      callers.set(id, { resolve: resolve as Caller['resolve'], reject })
      worker.postMessage({ id, name, args, startByMs } satisfies Envelope)
    })
  }

  /** Begun in time or not at all; but waits for the answer, however late: it may be stored after the caller gave up. */
  function callPatiently<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>) {
    return post(monotonicMs() + storageDeadlineMs, name, args)
  }

  return {
    callPatiently,

    call<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>): Promise<Result<Calls, Name>> {
      return withDeadline(callPatiently(name, ...args), storageDeadlineMs, () => lateError(stores, storageDeadlineMs))
    },

    /** However long it takes to begin and to end: the start has nobody who waits for an answer. */
    callAtStart<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>) {
      return post(Infinity, name, args)
    },

    /** Ends the thread when it has done what it was asked; rejects when it does not end. */
    async close(): Promise<void> {
      if (failure !== null) return
      closing = true
      worker.postMessage('close' satisfies Envelope)
      await withDeadline(ended, closeDeadlineMs, () => lateError(stores, closeDeadlineMs))
    },
  }
}

export function lateError(stores: string, deadlineMs: number): StorageError {
  return new StorageError(`The storage of the ${stores} has not answered for ${deadlineMs / 1_000} s.`)
}

function busyError(stores: string): StorageError {
  return new StorageError(`The storage of the ${stores} has too much to do.`)
}

function errorOf({ name, message, code }: Extract<Answer, { kind: 'error' }>): Error {
  return name === 'StartError' ? new StartError(message) : new StorageError(message, code)
}
