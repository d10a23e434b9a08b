import { connect, type Socket } from 'node:net'
import { nowMs } from './clock.ts'
import { type FrameHandler, parseFrames } from './dialects/frames.ts'

/** Raw WebSocket connection of a fleet. */
export interface Connection {
  index: number
  socket: Socket
  isUpgraded: boolean
  isReady: boolean
  isClosed: boolean
  /** Received bytes of an incomplete frame, or of an incomplete response to the upgrade. */
  partialFrame: Buffer | null
  /** Time at which the connection read the current chunk. */
  receivedAtMs: number
  /** Received bytes of an incomplete message, for dialects that stream messages across frames. */
  partialMessage: Buffer | null
  markReady: () => void
}

export interface ConnectionEvents {
  onUpgraded: (connection: Connection) => void
  onFrame: FrameHandler<Connection>
  onBytes: (count: number) => void
  onClose: (connection: Connection) => void
}

// All sockets of the process share the buffer, because the process parses each chunk before the next read.
const readBuffer = Buffer.allocUnsafe(512 * 1_024)

const headerEnd = Buffer.from('\r\n\r\n')

const busyStatus = 'HTTP/1.1 503'

/** Returns true if the server rejected the upgrade with status 503. */
export function isRejectedAsBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes(busyStatus)
}

export interface Endpoint {
  port: number
  path: string
  protocol?: string
}

/**
 * Opens a connection. The promise resolves when an event handler calls `markReady`, and rejects if the connection fails
 * or times out before that.
 */
export function openConnection(
  index: number,
  endpoint: Endpoint,
  events: ConnectionEvents,
  timeoutMs = 30_000,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => fail(new Error(`connection timed out before it was ready: ${index}`)), timeoutMs)
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
      isUpgraded: false,
      isReady: false,
      isClosed: false,
      partialFrame: null,
      receivedAtMs: 0,
      partialMessage: null,
      markReady: () => {
        clearTimeout(timeout)
        connection.isReady = true
        resolve(connection)
      },
    }
    function fail(error: Error): void {
      clearTimeout(timeout)
      socket.destroy()
      reject(error)
    }
    socket.on('error', (error) => (connection.isReady ? socket.destroy() : fail(error)))
    socket.on('close', () => {
      connection.isClosed = true
      if (connection.isReady) events.onClose(connection)
      else fail(new Error(`connection closed before it was ready: ${index}`))
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
  connection.receivedAtMs = nowMs()
  let buffer = readBuffer
  let length = bytes
  if (connection.partialFrame !== null) {
    buffer = Buffer.concat([connection.partialFrame, readBuffer.subarray(0, bytes)])
    length = buffer.length
    connection.partialFrame = null
  }
  if (!connection.isUpgraded) {
    const headerBytes = buffer.subarray(0, length).indexOf(headerEnd)
    if (headerBytes < 0) {
      connection.partialFrame = Buffer.from(buffer.subarray(0, length))
      return
    }
    const status = buffer.toString('latin1', 0, Math.min(headerBytes, 80)).split('\r\n')[0]!
    if (!status.startsWith('HTTP/1.1 101')) return fail(new Error(`upgrade failed: ${status}`))
    connection.isUpgraded = true
    buffer = Buffer.from(buffer.subarray(headerBytes + headerEnd.length, length))
    length = buffer.length
    events.onUpgraded(connection)
  }
  const parsedBytes = parseFrames(buffer, length, connection, events.onFrame)
  if (parsedBytes < length) connection.partialFrame = Buffer.from(buffer.subarray(parsedBytes, length))
}
