import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Guard } from '../../../base/error-guard.ts'

type Listener = (this: Server, first: unknown, second: unknown, ...rest: unknown[]) => void

/** What the HTTP server tells its listeners of a single client, and where in the arguments that client's socket is. */
const socketOf: Readonly<Record<string, (first: unknown, second: unknown) => Duplex>> = {
  request: (request) => (request as { socket: Duplex }).socket,
  upgrade: (_request, socket) => socket as Duplex,
  connection: (socket) => socket as Duplex,
  clientError: (_error, socket) => socket as Duplex,
}

/** Guards every listener that stands now, whoever put it there: Fastify's and Engine.IO's as well as our own. */
export function guardListeners(server: Server, guard: Guard): void {
  for (const [event, findSocket] of Object.entries(socketOf)) {
    const listeners = server.listeners(event) as Listener[]
    server.removeAllListeners(event)
    for (const listener of listeners) {
      server.on(
        event,
        guard.wrap(event, listener, (first, second) => findSocket(first, second).destroy()),
      )
    }
  }
}
