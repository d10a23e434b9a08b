import type { Connection } from '../connection.ts'
import type { Dialect, DialectOptions } from './dialect.ts'
import { binaryOpcode, maskedFrame } from './frames.ts'
import { createMessageIdReader } from './message-id-reader.ts'

const subject = 'room'
const newline = 10
const letterM = 77

/** Parses the decimal number that ends at index `last`. */
function parseLengthEndingAt(stream: Buffer, last: number): number {
  let value = 0
  let scale = 1
  for (let at = last; stream[at]! >= 48; at--) {
    value += (stream[at]! - 48) * scale
    scale *= 10
  }
  return value
}

/**
 * Creates the dialect of NATS over WebSocket. The frames carry a stream of NATS lines; a frame can hold many messages
 * or part of a message.
 */
export function createNatsDialect({ port, deliveries }: DialectOptions): Dialect {
  const read = createMessageIdReader(deliveries)

  function parseLines(connection: Connection, stream: Buffer): void {
    let offset = 0
    while (offset < stream.length) {
      const lineEnd = stream.indexOf(newline, offset)
      if (lineEnd < 0) break
      if (stream[offset] === letterM) {
        const payloadBytes = parseLengthEndingAt(stream, lineEnd - 2)
        const end = lineEnd + 1 + payloadBytes + 2
        if (end > stream.length) break
        read(connection, stream, lineEnd + 1, lineEnd + 1 + payloadBytes)
        offset = end
        continue
      }
      const line = stream.toString('latin1', offset, lineEnd - 1)
      if (line === 'PING') connection.socket.write(maskedFrame('PONG\r\n', binaryOpcode))
      else if (line === 'PONG' && !connection.isReady) connection.markReady()
      else if (line.startsWith('INFO')) {
        const handshake = `CONNECT {"verbose":false,"pedantic":false,"echo":true}\r\nSUB ${subject} 1\r\nPING\r\n`
        connection.socket.write(maskedFrame(handshake, binaryOpcode))
      } else if (line.startsWith('-ERR')) connection.socket.destroy(new Error(line))
      offset = lineEnd + 1
    }
    connection.partialMessage = offset < stream.length ? Buffer.from(stream.subarray(offset)) : null
  }

  return {
    endpoint: { port, path: '/' },
    onUpgraded: () => undefined,
    onFrame(connection, _opcode, buffer, start, end) {
      const payload = Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start)
      parseLines(
        connection,
        connection.partialMessage === null ? payload : Buffer.concat([connection.partialMessage, payload]),
      )
    },
    encode(_id, text, createdTime) {
      const payload = JSON.stringify({ username: 'bench', message: text, createdTime })
      return maskedFrame(`PUB ${subject} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`, binaryOpcode)
    },
  }
}
