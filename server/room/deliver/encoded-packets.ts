import type { ServerToClientEvents, SpecifiedServerEvents } from '../../../contract/events.ts'

/** Socket.IO packets that are encoded once and written to many sockets. */
export interface EncodedPackets {
  readonly packets: readonly string[]
}

/** Returns packets that are encoded when first read: one of the two packet formats may have no subscriber. */
export function encodePackets(makePackets: () => readonly string[]): EncodedPackets {
  let packets: readonly string[] | null = null
  return {
    get packets() {
      packets ??= makePackets()
      return packets
    },
  }
}

declare const encodedType: unique symbol
/** JSON text of a `T`. The brand prevents passing the text where the JSON of another type is expected. */
export type Encoded<T> = string & { readonly [encodedType]: T }

export const encode = <T>(value: T): Encoded<T> => JSON.stringify(value) as Encoded<T>

type EncodedAll<Args extends unknown[]> = { [Index in keyof Args]: Encoded<Args[Index]> }
export type EventArgs<Map, Event extends keyof Map> = Map[Event] extends (...args: infer Args) => void ? Args : never

/** Returns the packet of an event, for connections that request positions. The arguments are type-checked. */
export function eventPacket<Event extends keyof ServerToClientEvents>(
  event: Event,
  ...args: EventArgs<ServerToClientEvents, Event>
): string {
  return joinPacket(event, args.map(encode))
}

/** Returns the packet of an event whose arguments are already encoded, for connections that request positions. */
export function packetOfEncoded<Event extends keyof ServerToClientEvents>(
  event: Event,
  ...args: EncodedAll<EventArgs<ServerToClientEvents, Event>>
): string {
  return joinPacket(event, args)
}

/** Returns the packet of an event as specified, for connections that did not ask for positions. */
export function specifiedPacketOfEncoded<Event extends keyof SpecifiedServerEvents>(
  event: Event,
  ...args: EncodedAll<EventArgs<SpecifiedServerEvents, Event>>
): string {
  return joinPacket(event, args)
}

const eventPacketType = '2' // Socket.IO's packet type "event", default namespace

function joinPacket(event: string, args: readonly string[]): string {
  return `${eventPacketType}["${event}",${args.join()}]`
}
