import type { Socket } from 'socket.io'
import type { PresenceWatcher } from '../presence/presence.ts'
import type { Subscriber } from '../room/subscriber.ts'
import type { Handshake } from './handshake.ts'

/**
 * All that the server keeps of one connection: one flat object, because ten thousand of them are held, and closures
 * and handshakes per connection cost more than the connection itself.
 */
export interface Connection extends Subscriber, PresenceWatcher {
  readonly socket: Socket
  readonly accountName: string | null
  readonly address: string
  /** Throws when this connection sends too fast; made when it first sends. */
  takeSendToken: (() => void) | null
  /** Sends that were accepted and not yet answered: a drain waits for them. */
  unanswered: number
}

export const engineSocketOf = ({ socket }: Connection): Socket['conn'] => socket.conn

export function createConnection(socket: Socket, { account, wantsDeltas }: Handshake, address: string): Connection {
  return {
    socket,
    accountName: account?.name ?? null,
    address,
    wantsDeltas,
    takeSendToken: null,
    unanswered: 0,
    next: 0,
    live: false,
    placement: 0,
  }
}
