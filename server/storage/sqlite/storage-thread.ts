import { Worker } from 'node:worker_threads'
import { withDeadline } from '../../base/with-deadline.ts'
import { StartError } from '../../base/start-error.ts'
import { isConstraint, storageDeadlineMs, StorageError, storageTimeoutError } from '../../base/storage-error.ts'
import { type Reply, type CallMap, type Envelope, monotonicMs } from './thread-messages.ts'

/** Maximum number of pending calls. Further calls are rejected, so that a hanging thread cannot fill the memory. */
export const maxPendingCalls = 10_000

interface ThreadOptions {
  script: URL
  workerData: unknown
  /** Content of the database, for error messages: 'messages', 'accounts'. */
  stores: string
  /** Handles an unexpected end of the thread. Committed data is on disk, but nothing more can be stored. */
  onDied: (error: Error) => void
}

interface Caller {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

type Result<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: never[]) => infer R ? Awaited<R> : never
type Args<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: infer A) => unknown ? A : never

/** Starts a storage thread and returns typed calls to it. The thread runs calls in order. */
export function startStorageThread<Calls extends CallMap<Calls>>({
  script,
  workerData,
  stores,
  onDied,
}: ThreadOptions) {
  const worker = new Worker(script, { workerData })
  const callers = new Map<number, Caller>()
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let lastId = 0
  let failure: Error | null = null
  let isClosing = false

  worker.on('message', (reply: Reply) => {
    const caller = callers.get(reply.id)
    callers.delete(reply.id)
    if (reply.kind === 'error') caller?.reject(errorOf(reply))
    else caller?.resolve(reply.result)
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new StorageError(`The storage thread of the ${stores} has ended.`)))

  function fail(error: Error): void {
    if (failure !== null) return
    failure = error
    for (const caller of callers.values()) caller.reject(error)
    callers.clear()
    if (!isClosing) onDied(error)
  }

  function post<Name extends keyof Calls & string>(startByMs: number, name: Name, args: Args<Calls, Name>) {
    return new Promise<Result<Calls, Name>>((resolve, reject) => {
      const rejection = failure ?? (callers.size >= maxPendingCalls ? busyError(stores) : null)
      if (rejection !== null) {
        reject(rejection)
        return
      }
      const id = ++lastId
      callers.set(id, { resolve: resolve as Caller['resolve'], reject })
      worker.postMessage({ id, name, args, startByMs } satisfies Envelope)
    })
  }

  /**
   * Calls the thread. The deadline limits when the call may start, not how long it runs: the caller gets the result of
   * a slow write.
   */
  function callWithoutTimeout<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>) {
    return post(monotonicMs() + storageDeadlineMs, name, args)
  }

  return {
    callWithoutTimeout,

    /**
     * Calls the thread and rejects after the deadline, which also limits when the call may start. A write may still be
     * stored after the rejection.
     */
    call<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>): Promise<Result<Calls, Name>> {
      return withDeadline(callWithoutTimeout(name, ...args), storageDeadlineMs, () =>
        storageTimeoutError(stores, storageDeadlineMs),
      )
    },

    /** Calls the thread without a deadline: opening a large database may take long, and no client waits yet. */
    callAtStart<Name extends keyof Calls & string>(name: Name, ...args: Args<Calls, Name>) {
      return post(Infinity, name, args)
    },

    /**
     * Ends the thread after its pending calls. Rejects when the thread does not end in time: a thread that hangs in a system
     * call cannot be terminated.
     */
    async close(): Promise<void> {
      if (failure !== null) return
      isClosing = true
      worker.postMessage('close' satisfies Envelope)
      await withDeadline(ended, storageDeadlineMs, () => storageTimeoutError(stores, storageDeadlineMs))
    },
  }
}

function busyError(stores: string): StorageError {
  return new StorageError(`The storage of the ${stores} has too many pending calls.`)
}

function errorOf({ name, message, code }: Extract<Reply, { kind: 'error' }>): Error {
  if (isConstraint(code)) return new Error(message)
  return name === 'StartError' ? new StartError(message) : new StorageError(message, code)
}
