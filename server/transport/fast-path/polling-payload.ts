import type { Transport } from 'engine.io'

/**
 * Maximum number of packets in a payload. 64 KiB can contain thirty thousand, and Engine.IO decodes all of them before
 * it emits the first.
 */
export const maxPacketsPerPayload = 500

const separator = '\x1e'

/** Undocumented members of Engine.IO's polling transport. `library-internals.ts` checks that they are present. */
interface PollingInternals {
  onData(payload: string): void
  onError(reason: string): void
}

/** Makes a polling transport close its connection when a payload has too many packets, before the payload is decoded. */
export function boundPayload(transport: Transport): void {
  if (transport.name === 'polling') Object.assign(transport, { onData: boundedOnData })
}

/**
 * Handles a polling payload and overrides `onData` of the transport's class. All transports share this function.
 * Engine.IO calls it with the transport as `this`.
 */
function boundedOnData(this: PollingInternals, payload: string): void {
  if (countPackets(payload) > maxPacketsPerPayload) this.onError('too many packets in one payload')
  else (Object.getPrototypeOf(this) as PollingInternals).onData.call(this, payload)
}

function countPackets(payload: string): number {
  let count = 1
  for (let at = payload.indexOf(separator); at >= 0; at = payload.indexOf(separator, at + 1)) count++
  return count
}
