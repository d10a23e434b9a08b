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
