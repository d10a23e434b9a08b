const finalTextFrame = 0x81
const engineMessage = 0x34 // '4', Engine.IO's packet type "message"

/** WebSocket frames as a server sends them (unmasked, final), one per Socket.IO packet, end to end in one buffer. */
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

/** The packets in frames that `encodeFrames` made. */
export function decodeFrames(frames: Buffer): string[] {
  const packets: string[] = []
  for (let offset = 0; offset < frames.length;) {
    const end = frameEnd(frames, offset)
    packets.push(frames.toString('utf8', end - payloadBytesAt(frames, offset) + 1, end))
    offset = end
  }
  return packets
}

/** Where `count` frames from `offset` on end. */
export function skipFrames(frames: Buffer, offset: number, count: number): number {
  let end = offset
  for (let skipped = 0; skipped < count; skipped++) end = frameEnd(frames, end)
  return end
}

function frameEnd(frames: Buffer, offset: number): number {
  const payloadBytes = payloadBytesAt(frames, offset)
  return offset + headerBytes(payloadBytes) + payloadBytes
}

function payloadBytesAt(frames: Buffer, offset: number): number {
  const short = frames.readUInt8(offset + 1)
  if (short < 126) return short
  return short === 126 ? frames.readUInt16BE(offset + 2) : Number(frames.readBigUInt64BE(offset + 2))
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
