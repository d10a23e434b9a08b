import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Guard } from '../../../base/error-guard.ts'

type Next = () => void
type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, next: Next) => void

/**
 * Step of the protection. Its request, upgrade and client-error handlers run before the listeners of the HTTP server.
 * If a handler does not call `next`, later steps and the listeners do not run. `onConnection` runs after the connection
 * listeners.
 */
export type ProtectionStep = {
  /** Handles every accepted connection, even if an earlier step has destroyed the socket. */
  onConnection?: (socket: Socket) => void
  onClientError?: (error: Error, socket: Socket, next: Next) => void
} & (
  | {
      onRequest: (request: IncomingMessage, response: ServerResponse, next: Next) => void
      /** `'pass'` lets upgrades, such as those to WebSocket, pass without a check. */
      onUpgrade: OnUpgrade | 'pass'
    }
  | { onRequest?: undefined; onUpgrade?: OnUpgrade }
)

type Listener = (...args: unknown[]) => void

/**
 * Adds the steps to the server, in the order of the list. If a step, or a current listener of an event that the steps
 * handle, throws, the server closes the connection. Call this function after every module has added its listeners.
 */
export function protectServer(server: Server, steps: readonly ProtectionStep[], guard: Guard): void {
  intercept('connection', (socket) => socket as Duplex, [])
  for (const { onConnection } of steps) {
    if (onConnection === undefined) continue
    server.on(
      'connection',
      guard.wrap('connection', onConnection, (socket) => void socket.destroy()),
    )
  }
  intercept('request', (request) => (request as IncomingMessage).socket, handlersOf('onRequest'))
  intercept('upgrade', (_request, socket) => socket as Duplex, handlersOf('onUpgrade'))
  intercept('clientError', (_error, socket) => socket as Duplex, handlersOf('onClientError'))

  function handlersOf(name: 'onRequest' | 'onUpgrade' | 'onClientError'): Listener[] {
    return steps.flatMap(({ [name]: handler }) => (typeof handler === 'function' ? [handler as Listener] : []))
  }

  /** Replaces the listeners of an event by one listener that runs the handlers and then the replaced listeners. */
  function intercept(event: string, socketOf: (...args: unknown[]) => Duplex, handlers: readonly Listener[]): void {
    const listeners = server.listeners(event) as Listener[]
    server.removeAllListeners(event)
    server.on(event, (...args: unknown[]) => runFrom(0, args))

    function runFrom(index: number, args: unknown[]): void {
      const handler = handlers[index]
      if (handler !== undefined) run(args, () => handler(...args, () => runFrom(index + 1, args)))
      else for (const listener of listeners) run(args, () => listener.apply(server, args))
    }

    /** Runs one step or listener and catches its errors: a step may call `next` in a later turn of the event loop. */
    function run(args: unknown[], work: () => void): void {
      try {
        work()
      } catch (error) {
        guard.closeAfterError(error, event, () => socketOf(...args).destroy())
      }
    }
  }
}
