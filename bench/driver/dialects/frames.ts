import { randomBytes } from 'node:crypto'

export const textOpcode = 1
export const binaryOpcode = 2
export const pongOpcode = 10

/** Returns the header size of an unmasked frame. */
export function frameHeaderBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
}

/** Returns a masked client frame. The key is never zero, because some servers skip unmasking for a zero key. */
export function maskedFrame(payload: string | Uint8Array, opcode = textOpcode): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const length = body.length
  const headerBytes = frameHeaderBytes(length)
  const frame = Buffer.allocUnsafe(headerBytes + 4 + length)
  frame[0] = 0x80 | opcode
  if (headerBytes === 2) frame[1] = 0x80 | length
  else if (headerBytes === 4) {
    frame[1] = 0x80 | 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 0x80 | 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  const key = randomBytes(4)
  key[0] = key[0]! | 1
  frame.set(key, headerBytes)
  const start = headerBytes + 4
  for (let index = 0; index < length; index++) frame[start + index] = body[index]! ^ key[index & 3]!
  return frame
}

/** Returns an unmasked server frame. Throws if the payload has more than 65,535 bytes. */
export function plainFrame(payload: string | Uint8Array, opcode = textOpcode): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const header =
    body.length < 126
      ? Buffer.from([0x80 | opcode, body.length])
      : Buffer.from([0x80 | opcode, 126, body.length >> 8, body.length & 255])
  if (body.length > 65_535) throw new Error(`frame too large: ${body.length} bytes, at most 65,535`)
  return Buffer.concat([header, body])
}

/**
 * Handles one frame, whose payload is `buffer` from `start` to `end`. Later reads overwrite the buffer, so a handler
 * copies the bytes that it keeps.
 */
export type FrameHandler<Context> = (
  context: Context,
  opcode: number,
  buffer: Uint8Array,
  start: number,
  end: number,
) => void

/**
 * Calls `onFrame` for every complete frame and returns the offset of the first incomplete frame. For masked frames pass
 * `maskBytes` = 4; the payload then starts with the masking key.
 */
export function parseFrames<Context>(
  buffer: Uint8Array,
  length: number,
  context: Context,
  onFrame: FrameHandler<Context>,
  maskBytes = 0,
): number {
  let offset = 0
  while (offset + 2 <= length) {
    let payloadBytes = buffer[offset + 1]! & 127
    let start = offset + 2
    if (payloadBytes === 126) {
      if (offset + 4 > length) break
      payloadBytes = (buffer[offset + 2]! << 8) | buffer[offset + 3]!
      start = offset + 4
    } else if (payloadBytes === 127) {
      if (offset + 10 > length) break
      payloadBytes =
        buffer[offset + 6]! * 16_777_216 +
        ((buffer[offset + 7]! << 16) | (buffer[offset + 8]! << 8) | buffer[offset + 9]!)
      start = offset + 10
    }
    const end = start + maskBytes + payloadBytes
    if (end > length) break
    onFrame(context, buffer[offset]! & 15, buffer, start, end)
    offset = end
  }
  return offset
}
