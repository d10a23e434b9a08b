import { maskedFrame, pongOpcode } from './frames.ts'
import type { Dialect, DialectOptions } from './dialect.ts'
import { createMarkedReader } from './marked-frames.ts'

const pingOpcode = 9

const jsonFrame: Dialect['encode'] = (_id, text, createdTime) =>
  maskedFrame(JSON.stringify({ username: 'bench', message: text, createdTime }))

/** A server that sends on to everybody whatever a socket sends. */
export function createRawDialect({ port, tally }: DialectOptions, path = '/'): Dialect {
  const read = createMarkedReader(tally)
  return {
    endpoint: { port, path },
    onUpgraded: (connection) => connection.markReady(),
    onFrame(connection, opcode, buffer, start, end) {
      if (read(connection, buffer, start, end)) return
      if (opcode === pingOpcode) connection.socket.write(maskedFrame(buffer.slice(start, end), pongOpcode))
    },
    encode: jsonFrame,
  }
}

/** The null server writes one frame, prepared at its start, so its messages are told apart only by counting. */
export function createUnnumberedDialect({ port, tally }: DialectOptions): Dialect {
  return {
    endpoint: { port, path: '/' },
    onUpgraded: (connection) => connection.markReady(),
    onFrame(connection) {
      tally.addNext(connection.index, connection.readAtMs)
    },
    encode: jsonFrame,
  }
}
