import type { Transport } from 'engine.io'

/** A payload of 64 KiB can be thirty thousand packets, and all are decoded before the first one is looked at. */
export const maxPacketsPerPayload = 500

const separator = '\x1e'

/** What is used here of Engine.IO's polling transport; `fanout/internals.ts` looks whether it is there. */
interface PollingInternals {
  onData(payload: string): void
  onError(reason: string): void
}

/** Refuses a payload of far too many packets before it is decoded; ends its connection. */
export function boundPayload(transport: Transport): void {
  if (transport.name === 'polling') Object.assign(transport, { onData: boundedOnData })
}

/** Shared by all: it gets the transport as `this`, and what it hides from the transport's class. */
function boundedOnData(this: PollingInternals, payload: string): void {
  if (countPackets(payload) > maxPacketsPerPayload) this.onError('too many packets in one payload')
  else (Object.getPrototypeOf(this) as PollingInternals).onData.call(this, payload)
}

function countPackets(payload: string): number {
  let count = 1
  for (let at = payload.indexOf(separator); at >= 0; at = payload.indexOf(separator, at + 1)) count++
  return count
}
