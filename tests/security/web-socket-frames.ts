import { openTcp } from './raw-http.ts'

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

interface FrameOptions {
  isFinal?: boolean
  reserved?: number
  isMasked?: boolean
  /** Length to write into the header instead of the length of the payload. */
  length?: number
}

/** Encodes a client frame, valid or not. The mask is zero, so that the payload is readable in a dump. */
export function encodeFrame(opcode: number, payload: string | Uint8Array = '', options: FrameOptions = {}): Buffer {
  const { isFinal = true, reserved = 0, isMasked = true } = options
  const body = Buffer.from(payload)
  const head = Buffer.from([(isFinal ? 0x80 : 0) | (reserved << 4) | opcode])
  const mask = Buffer.alloc(isMasked ? 4 : 0)
  return Buffer.concat([head, lengthField(options.length ?? body.length, isMasked), mask, body])
}

function lengthField(length: number, isMasked: boolean): Buffer {
  const flag = isMasked ? 0x80 : 0
  if (length < 126) return Buffer.from([flag | length])
  if (length < 65_536) return Buffer.from([flag | 126, length >> 8, length & 255])
  const field = Buffer.alloc(9)
  field[0] = flag | 127
  field.writeBigUInt64BE(BigInt(length), 1)
  return field
}

export const webSocketPath = '/socket.io/?EIO=4&transport=websocket'

export const upgradeRequest = (path: string = webSocketPath, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`

/** Opens a raw WebSocket in the room, on which the test writes every frame. */
export async function openRawWebSocket(url: string) {
  const socket = await openTcp(url)
  const received = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (socket.received().includes(text)) resolve()
        else socket.once('data', look)
      }
      look()
    })
  socket.write(upgradeRequest())
  await received('0{"sid"')
  socket.write(encodeFrame(opcodes.text, '40'))
  await received('40{"sid"')
  return { socket, received, ended: socket.ended }
}
