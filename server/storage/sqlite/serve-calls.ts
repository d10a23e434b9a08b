import { parentPort } from 'node:worker_threads'
import { type Answer, type CallMap, type Envelope, monotonicMs } from './thread-messages.ts'

interface Service<Calls> {
  handlers: Calls
  close: () => void | Promise<void>
  /** Tests make the thread fail here. */
  faultPoint?: (args: unknown[]) => void
}

/** A storage thread's side: answers one call after the other, and closes what it holds before it ends. */
export function serveCalls<Calls extends CallMap<Calls>>({ handlers, close, faultPoint }: Service<Calls>): void {
  const port = parentPort
  if (port === null) throw new Error('serveCalls runs in a worker thread only.')
  let done: Promise<void> = Promise.resolve()

  async function handle(envelope: Envelope): Promise<void> {
    if (envelope === 'close') {
      await close()
      port?.close()
      return
    }
    port?.postMessage(await answer(envelope))
  }

  async function answer({ id, name, args, startByMs }: Exclude<Envelope, 'close'>): Promise<Answer> {
    try {
      // Its caller was told that it failed: done now, it would surprise everybody and delay those who still wait.
      if (monotonicMs() > startByMs) throw new Error('Storage was busy for too long; this was not begun.')
      faultPoint?.(args)
      const handler = handlers[name as keyof Calls]
      // The other side's types saw to it that these are the handler's arguments.
      return { kind: 'result', id, result: await handler(...(args as never[])) }
    } catch (error) {
      const { name, message, errcode } = error as Error & { errcode?: number }
      return { kind: 'error', id, name, message, code: errcode ?? null }
    }
  }

  // An error that escapes here ends the thread, and with it the process: see `onDied`.
  port.on('message', (envelope: Envelope) => {
    done = done.then(() => handle(envelope))
  })
}
