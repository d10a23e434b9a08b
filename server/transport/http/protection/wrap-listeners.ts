import type { Server } from 'node:http'

type Listener<Args extends unknown[]> = (this: Server, ...args: Args) => void

/** Puts `around` before all listeners that stand now: they hear of the event when it calls `goOn`, or never. */
export function wrapListeners<Args extends unknown[]>(
  server: Server,
  event: string,
  around: (goOn: () => void, ...args: Args) => void,
): void {
  const listeners = server.listeners(event) as Listener<Args>[]
  server.removeAllListeners(event)
  server.on(event, (...args: unknown[]) => {
    const known = args as Args
    around(
      () => {
        for (const listener of listeners) listener.apply(server, known)
      },
      ...known,
    )
  })
}
