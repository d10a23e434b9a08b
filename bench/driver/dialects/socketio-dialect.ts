import { randomBytes } from 'node:crypto'
import { events } from '../../../contract/events.ts'
import { socketPath } from '../../../contract/routes.ts'
import { createAckTracker } from '../acks.ts'
import type { Dialect, DialectOptions } from './dialect.ts'
import { maskedFrame } from './frames.ts'
import { createMessageIdReader } from './message-id-reader.ts'

const enginePong = maskedFrame('3')
const openDigit = 0x30
const pingDigit = 0x32
const messageDigit = 0x34
const connectDigit = 0x30
const ackDigit = 0x33
const errorDigit = 0x34

/** Creates the dialect of a minimal Socket.IO client without the client library. */
export function createSocketioDialect({ port, deliveries, auth }: DialectOptions): Dialect {
  const read = createMessageIdReader(deliveries)
  const connectFrame = `40${auth === null ? '' : JSON.stringify(auth)}`
  return {
    endpoint: { port, path: `${socketPath}?EIO=4&transport=websocket` },
    onUpgraded: () => undefined,
    onFrame(connection, _opcode, buffer, start, end) {
      if (read(connection, buffer, start, end)) return
      const kind = buffer[start]
      if (kind === pingDigit && end - start === 1) connection.socket.write(enginePong)
      else if (kind === openDigit) connection.socket.write(maskedFrame(connectFrame))
      else if (kind === messageDigit && buffer[start + 1] === connectDigit) connection.markReady()
      else if (kind === messageDigit && buffer[start + 1] === errorDigit) {
        connection.socket.destroy(new Error(Buffer.from(buffer.subarray(start, end)).toString()))
      }
    },
    encode: (_id, text, createdTime) =>
      maskedFrame(`42${JSON.stringify([events.sendMessage, { username: 'bench', message: text, createdTime }])}`),
  }
}

/**
 * Creates the dialect of Chat Room's page. Each message has an id for deduplication and requests an ack, which the
 * fleet waits for.
 */
export function createAppDialect(options: DialectOptions): Dialect {
  const base = createSocketioDialect(options)
  const acks = createAckTracker()
  const prefix = randomBytes(4).toString('hex')
  const uuid = (id: number) => `${prefix}-0000-4000-8000-${id.toString(16).padStart(12, '0')}`
  return {
    ...base,
    acks,
    onFrame(connection, opcode, buffer, start, end) {
      if (buffer[start] === messageDigit && buffer[start + 1] === ackDigit) {
        const text = Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start).toString()
        const body = text.indexOf('[')
        const [ack] = JSON.parse(text.slice(body)) as [{ ok: boolean; seq?: number }]
        acks.onAck(Number(text.slice(2, body)), ack.ok ? (ack.seq ?? null) : null)
        return
      }
      base.onFrame(connection, opcode, buffer, start, end)
    },
    encode(id, text, createdTime) {
      acks.expect(id)
      const payload = { username: 'bench', message: text, createdTime }
      return maskedFrame(`42${id}${JSON.stringify([events.sendMessage, payload, { id: uuid(id) }])}`)
    },
  }
}
