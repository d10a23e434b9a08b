import type { Connection } from './connection.ts'
import type { Dialect, DialectOptions } from './dialect.ts'
import { binaryOpcode, maskedFrame } from './frames.ts'
import { createMarkedReader } from './marked-frames.ts'

const subject = 'room'
const newline = 10
const letterM = 77

/** The decimal number whose last digit stands at `last`. */
function lengthBefore(stream: Buffer, last: number): number {
  let value = 0
  let scale = 1
  for (let at = last; stream[at]! >= 48; at--) {
    value += (stream[at]! - 48) * scale
    scale *= 10
  }
  return value
}

/**
 * NATS over WebSocket: the frames carry a stream of NATS lines, cut anywhere, many messages to a frame or one message
 * over two.
 */
export function createNatsDialect({ port, tally }: DialectOptions): Dialect {
  const read = createMarkedReader(tally)

  function walkLines(connection: Connection, stream: Buffer): void {
    let offset = 0
    while (offset < stream.length) {
      const lineEnd = stream.indexOf(newline, offset)
      if (lineEnd < 0) break
      if (stream[offset] === letterM) {
        const payloadBytes = lengthBefore(stream, lineEnd - 2)
        const end = lineEnd + 1 + payloadBytes + 2
        if (end > stream.length) break
        read(connection, stream, lineEnd + 1, lineEnd + 1 + payloadBytes)
        offset = end
        continue
      }
      const line = stream.toString('latin1', offset, lineEnd - 1)
      if (line === 'PING') connection.socket.write(maskedFrame('PONG\r\n', binaryOpcode))
      else if (line === 'PONG' && !connection.ready) connection.markReady()
      else if (line.startsWith('INFO')) {
        const hello = `CONNECT {"verbose":false,"pedantic":false,"echo":true}\r\nSUB ${subject} 1\r\nPING\r\n`
        connection.socket.write(maskedFrame(hello, binaryOpcode))
      } else if (line.startsWith('-ERR')) connection.socket.destroy(new Error(line))
      offset = lineEnd + 1
    }
    connection.rest = offset < stream.length ? Buffer.from(stream.subarray(offset)) : null
  }

  return {
    endpoint: { port, path: '/' },
    onUpgraded: () => undefined,
    onFrame(connection, _opcode, buffer, start, end) {
      const payload = Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start)
      walkLines(connection, connection.rest === null ? payload : Buffer.concat([connection.rest, payload]))
    },
    encode(_id, text, createdTime) {
      const payload = JSON.stringify({ username: 'bench', message: text, createdTime })
      return maskedFrame(`PUB ${subject} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`, binaryOpcode)
    },
  }
}
