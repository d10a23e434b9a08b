import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { type Reply, type CallMap, type Envelope, monotonicMs } from './thread-messages.ts'

interface Service<Calls> {
  handlers: Calls
  close: () => void | Promise<void>
  /** Fault point that runs before each call, for tests. */
  faultPoint?: (args: unknown[]) => void
}

/** Serves calls in a storage thread, one after the other. A close message runs `close` and then ends the thread. */
export function serveCalls<Calls extends CallMap<Calls>>({ handlers, close, faultPoint }: Service<Calls>): void {
  const port = parentPort
  if (port === null) throw new Error('serveCalls runs in a worker thread only.')
  let lastCall: Promise<void> = Promise.resolve()

  async function handle(envelope: Envelope): Promise<void> {
    if (envelope === 'close') {
      await close()
      port?.close()
      return
    }
    port?.postMessage(await runCall(envelope))
  }

  async function runCall({ id, name, args, startByMs }: Exclude<Envelope, 'close'>): Promise<Reply> {
    try {
      // The caller may already have reported a failure. The call would contradict that report, and delay later calls.
      if (monotonicMs() > startByMs) throw new Error('Storage was busy for too long; this call was not started.')
      faultPoint?.(args)
      const handler = handlers[name as keyof Calls]
      // The compiler has checked the arguments where the thread was called.
      return { kind: 'result', id, result: await handler(...(args as never[])) }
    } catch (error) {
      const { name, message, errcode } = error as Error & { errcode?: number }
      return { kind: 'error', id, name, message, code: errcode ?? null }
    }
  }

  // An error that is not caught here ends the thread and then the process: see `onDied`.
  port.on('message', (envelope: Envelope) => {
    lastCall = lastCall.then(() => handle(envelope))
  })
  // Save the compile cache now, because a killed process saves nothing.
  flushCompileCache()
}
