import { decodeFrames, encodeFrames } from './frames.ts'

/** Some packets that many sockets get: encoded once, in the two shapes that the transports take. */
export interface EncodedPackets {
  /** Socket.IO packets, for polling and for a socket that is just changing its transport. */
  readonly packets: readonly string[]
  /** The same as finished WebSocket frames, for one write per socket. */
  readonly frames: Buffer
}

export function encodePackets(packets: readonly string[]): EncodedPackets {
  let frames: Buffer | null = null
  return {
    packets,
    get frames() {
      frames ??= encodeFrames(packets)
      return frames
    },
  }
}

/** For frames that were kept: one buffer is nothing to the garbage collector, where packets would be many strings. */
export function packetsOfFrames(frames: Buffer): EncodedPackets {
  let packets: readonly string[] | null = null
  return {
    frames,
    get packets() {
      packets ??= decodeFrames(frames)
      return packets
    },
  }
}

const eventPacket = '2' // Socket.IO's packet type "event", default namespace

export function eventPacketOf(event: string, ...args: unknown[]): string {
  return eventPacket + JSON.stringify([event, ...args])
}
