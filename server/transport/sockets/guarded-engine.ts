import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCallback, Server, type ServerOptions, type Socket, type Transport } from 'engine.io'
import type { Guard } from '../../base/error-guard.ts'
import { sessionOf } from './engine-query.ts'

type TransportName = NonNullable<ServerOptions['transports']>[number]
type EngineRequest = IncomingMessage & { _query: Record<string, string> }

/** Listener for a new transport: of a new connection, or of an upgrade of `session`. */
export type TransportListener = (transport: Transport, request: IncomingMessage, session: Socket | undefined) => void

/**
 * Engine.IO server that catches the errors that its entry points throw. Its handlers run in events of the HTTP server,
 * and its handshake runs in a promise that is not awaited. An uncaught error there would end the process.
 */
export class GuardedEngine extends Server {
  readonly #guard: Guard
  #onTransport: TransportListener = () => undefined

  constructor(options: ServerOptions, guard: Guard) {
    super(options)
    this.#guard = guard
  }

  /** Sets the listener. The engine calls it before the transport's first packet, also for an upgrade that fails later. */
  watchTransports(listener: TransportListener): void {
    this.#onTransport = listener
  }

  override handleRequest(request: IncomingMessage, response: ServerResponse): void {
    try {
      super.handleRequest(request, response)
    } catch (error) {
      this.#guard.closeAfterError(error, 'engine request', () => request.socket.destroy())
    }
  }

  override handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      super.handleUpgrade(request, socket, head)
    } catch (error) {
      this.#guard.closeAfterError(error, 'engine upgrade', () => socket.destroy())
    }
  }

  protected override async handshake(
    transportName: TransportName,
    request: EngineRequest,
    closeConnection: ErrorCallback,
  ): Promise<unknown> {
    try {
      return await super.handshake(transportName, request, closeConnection)
    } catch (error) {
      this.#guard.closeAfterError(error, 'engine handshake', () => request.socket.destroy())
      return undefined
    }
  }

  protected override createTransport(transportName: TransportName, request: IncomingMessage): Transport {
    const transport = super.createTransport(transportName, request)
    const sid = sessionOf(request.url)
    this.#onTransport(transport, request, sid === null ? undefined : this.clients[sid])
    return transport
  }
}
