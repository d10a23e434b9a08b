import type { ServerToClientEvents, SpecifiedServerEvents } from '../../../contract/events.ts'

/** Socket.IO packets that are encoded once and written to many sockets. */
export interface EncodedPackets {
  readonly packets: readonly string[]
}

/** Returns packets that are encoded when they are first read: one of the two kinds of a message may have no subscriber. */
export function encodePackets(makePackets: () => readonly string[]): EncodedPackets {
  let packets: readonly string[] | null = null
  return {
    get packets() {
      packets ??= makePackets()
      return packets
    },
  }
}

declare const encodes: unique symbol
/** JSON text that stands for a `T`: what is encoded once cannot be taken for something else. */
export type Encoded<T> = string & { readonly [encodes]: T }

export const encode = <T>(value: T): Encoded<T> => JSON.stringify(value) as Encoded<T>

type EncodedAll<Args extends unknown[]> = { [Index in keyof Args]: Encoded<Args[Index]> }
export type EventArgs<Map, Event extends keyof Map> = Map[Event] extends (...args: infer Args) => void ? Args : never

/** An event for connections that asked for positions. What does not fit `ServerToClientEvents` does not compile. */
export function eventPacket<Event extends keyof ServerToClientEvents>(
  event: Event,
  ...args: EventArgs<ServerToClientEvents, Event>
): string {
  return joinPacket(event, args.map(encode))
}

/** The same, of arguments that are encoded already. */
export function packetOfEncoded<Event extends keyof ServerToClientEvents>(
  event: Event,
  ...args: EncodedAll<EventArgs<ServerToClientEvents, Event>>
): string {
  return joinPacket(event, args)
}

/** An event for connections that asked for nothing more than the specification. */
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
