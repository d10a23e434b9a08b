import type { EncodedPackets } from '../../room/deliver/encoded-packets.ts'

const finalTextFrame = 0x81
const engineMessage = 0x34 // '4', Engine.IO's packet type "message"

const encodedFrames = new WeakMap<EncodedPackets, Buffer>()

/** Returns the packets as WebSocket frames for one write per socket. Encodes them on the first call only. */
export function framesOf(encoded: EncodedPackets): Buffer {
  const before = encodedFrames.get(encoded)
  if (before !== undefined) return before
  const frames = encodeFrames(encoded.packets)
  encodedFrames.set(encoded, frames)
  return frames
}

/** Encodes Socket.IO packets as WebSocket frames (unmasked, final), one per packet, concatenated in one buffer. */
export function encodeFrames(packets: readonly string[]): Buffer {
  const payloadBytes = packets.map((packet) => Buffer.byteLength(packet) + 1)
  const totalBytes = payloadBytes.reduce((total, bytes) => total + headerBytes(bytes) + bytes, 0)
  const buffer = Buffer.allocUnsafeSlow(totalBytes)
  let offset = 0
  for (const [index, packet] of packets.entries()) {
    const bytes = payloadBytes[index] as number
    offset = writeHeader(buffer, offset, bytes)
    buffer[offset] = engineMessage
    buffer.write(packet, offset + 1)
    offset += bytes
  }
  return buffer
}

/** Returns the size of the WebSocket frame of a packet, including its header. */
export function frameBytesOf(packet: string): number {
  const bytes = Buffer.byteLength(packet) + 1
  return headerBytes(bytes) + bytes
}

function headerBytes(payloadBytes: number): number {
  if (payloadBytes < 126) return 2
  return payloadBytes < 65_536 ? 4 : 10
}

function writeHeader(buffer: Buffer, offset: number, payloadBytes: number): number {
  buffer[offset] = finalTextFrame
  if (payloadBytes < 126) {
    buffer[offset + 1] = payloadBytes
    return offset + 2
  }
  if (payloadBytes < 65_536) {
    buffer[offset + 1] = 126
    return buffer.writeUInt16BE(payloadBytes, offset + 2)
  }
  buffer[offset + 1] = 127
  return buffer.writeBigUInt64BE(BigInt(payloadBytes), offset + 2)
}
