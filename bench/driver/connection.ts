import { connect, type Socket } from 'node:net'
import { nowMs } from './clock.ts'
import { type FrameHandler, walkFrames } from './frames.ts'

/** One raw WebSocket connection of a fleet. */
export interface Connection {
  index: number
  socket: Socket
  upgraded: boolean
  ready: boolean
  closed: boolean
  /** What was read but is not a whole frame yet. */
  tail: Buffer | null
  /** When the chunk at hand was read. */
  readAtMs: number
  /** A dialect's own leftovers. */
  rest: Buffer | null
  markReady: () => void
}

export interface ConnectionEvents {
  onUpgraded: (connection: Connection) => void
  onFrame: FrameHandler<Connection>
  onBytes: (count: number) => void
  onClose: (connection: Connection) => void
}

// All sockets of a process read into the same memory: a chunk is used up before the next is read.
const readBuffer = Buffer.allocUnsafe(512 * 1_024)

const headEnd = Buffer.from('\r\n\r\n')

const busyStatus = 'HTTP/1.1 503'

/** The server answered that it is too busy just now. */
export function isTurnedAway(error: unknown): boolean {
  return error instanceof Error && error.message.includes(busyStatus)
}

export interface Endpoint {
  port: number
  path: string
  protocol?: string
}

/** Resolves when the dialect has marked the connection as ready. */
export function openConnection(
  index: number,
  endpoint: Endpoint,
  events: ConnectionEvents,
  timeoutMs = 30_000,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => fail(new Error(`Connection ${index} was not ready in time`)), timeoutMs)
    const socket = connect({
      port: endpoint.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (bytes) => {
          receive(connection, bytes, events, fail)
          return true
        },
      },
    })
    const connection: Connection = {
      index,
      socket,
      upgraded: false,
      ready: false,
      closed: false,
      tail: null,
      readAtMs: 0,
      rest: null,
      markReady: () => {
        clearTimeout(timeout)
        connection.ready = true
        resolve(connection)
      },
    }
    function fail(error: Error): void {
      clearTimeout(timeout)
      socket.destroy()
      reject(error)
    }
    socket.on('error', (error) => (connection.ready ? socket.destroy() : fail(error)))
    socket.on('close', () => {
      connection.closed = true
      if (connection.ready) events.onClose(connection)
      else fail(new Error(`Connection ${index} was closed before it was ready`))
    })
    const protocol = endpoint.protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${endpoint.protocol}\r\n`
    socket.write(
      `GET ${endpoint.path} HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}\r\nUpgrade: websocket\r\n` +
        'Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
        `Sec-WebSocket-Version: 13\r\n${protocol}\r\n`,
    )
  })
}

function receive(connection: Connection, bytes: number, events: ConnectionEvents, fail: (error: Error) => void): void {
  events.onBytes(bytes)
  connection.readAtMs = nowMs()
  let buffer = readBuffer
  let length = bytes
  if (connection.tail !== null) {
    buffer = Buffer.concat([connection.tail, readBuffer.subarray(0, bytes)])
    length = buffer.length
    connection.tail = null
  }
  if (!connection.upgraded) {
    const head = buffer.subarray(0, length).indexOf(headEnd)
    if (head < 0) {
      connection.tail = Buffer.from(buffer.subarray(0, length))
      return
    }
    const status = buffer.toString('latin1', 0, Math.min(head, 80)).split('\r\n')[0]!
    if (!status.startsWith('HTTP/1.1 101')) return fail(new Error(`The server answered ${status}`))
    connection.upgraded = true
    buffer = Buffer.from(buffer.subarray(head + headEnd.length, length))
    length = buffer.length
    events.onUpgraded(connection)
  }
  const used = walkFrames(buffer, length, connection, events.onFrame)
  if (used < length) connection.tail = Buffer.from(buffer.subarray(used, length))
}
