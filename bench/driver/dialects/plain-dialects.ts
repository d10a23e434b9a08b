import { maskedFrame, pongOpcode } from './frames.ts'
import type { Dialect, DialectOptions } from './dialect.ts'
import { createMessageIdReader } from './message-id-reader.ts'

const pingOpcode = 9

const jsonFrame: Dialect['encode'] = (_id, text, createdTime) =>
  maskedFrame(JSON.stringify({ username: 'bench', message: text, createdTime }))

/** Creates the dialect of a server that broadcasts every frame unchanged. */
export function createRawDialect({ port, deliveries }: DialectOptions, path = '/'): Dialect {
  const read = createMessageIdReader(deliveries)
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

/**
 * Creates the dialect of the null server. That server sends the same prepared frame for every message, so deliveries
 * have no id and the dialect only counts them.
 */
export function createCountedDialect({ port, deliveries }: DialectOptions): Dialect {
  return {
    endpoint: { port, path: '/' },
    onUpgraded: (connection) => connection.markReady(),
    onFrame(connection) {
      deliveries.addNext(connection.index, connection.receivedAtMs)
    },
    encode: jsonFrame,
  }
}
