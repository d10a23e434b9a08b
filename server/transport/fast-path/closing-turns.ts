import type { IncomingMessage } from 'node:http'
import type { Transport } from 'engine.io'
import type { Networks } from '../../limits/addresses.ts'
import { createInputTurns } from '../../limits/input-turns.ts'

/**
 * Polling transport of Engine.IO, which calls the undocumented `onError` when the TCP connection of the pending poll
 * `req` closes. `library-internals.ts` checks that `onError` is present.
 */
interface PollingTransport {
  readonly req?: IncomingMessage | null
  onError: (reason: string) => void
}

interface Closing {
  transport: PollingTransport
  reason: string
}

/**
 * Lets lost polling connections take turns by network. One client can close a thousand TCP connections at the same
 * moment; Engine.IO and Socket.IO together would need some hundred milliseconds to remove them.
 */
export function createClosingTurns(networksOf: (transport: Transport) => Networks | null) {
  const turns = createInputTurns<Closing>({
    handle: ({ transport, reason }) => closeNow(transport, reason),
    onWait: () => undefined,
    onWaited: () => undefined,
  })

  function closeNow(transport: PollingTransport, reason: string): void {
    ;(Object.getPrototypeOf(transport) as PollingTransport).onError.call(transport, reason)
  }

  /** Overrides `onError` of the transport's class. All transports share this function. */
  function onErrorInTurn(this: PollingTransport, reason: string): void {
    if (this.req?.destroyed === true) turns.take(networksOf(this as unknown as Transport), { transport: this, reason })
    else closeNow(this, reason)
  }

  return (transport: Transport): void => {
    if (transport.name === 'polling') Object.assign(transport, { onError: onErrorInTurn })
  }
}
