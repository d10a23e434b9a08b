import { connect, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import { encodeFrame, opcodes, upgradeRequest } from '../web-socket-frames.ts'

const reopenAfterMs = 20
export const attackerAddress = '203.0.113.7'

/** Source of an attack: one address, or any /64 of one /48. */
export type Origin = 'address' | 'network'

export interface TargetOptions {
  port: number
  origin: Origin
  /** Token of a registered account. */
  token: string
}

/** Creates the functions that attack a server. */
export function createTarget({ port, origin, token }: TargetOptions) {
  const anyGroup = () => randomInt(1, 0x10000).toString(16)
  const address = () => (origin === 'address' ? attackerAddress : `2001:db8:1:${anyGroup()}::${anyGroup()}`)
  const from = () => `X-Forwarded-For: ${address()}\r\n`

  /**
   * Holds `count` TCP connections open and reopens each that is closed. Calls `begin` with each connection when
   * it is open.
   */
  function hold(count: number, begin: (socket: Socket) => void): void {
    const open = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.once('connect', () => begin(socket))
      socket.once('close', () => setTimeout(open, reopenAfterMs))
    }
    for (let i = 0; i < count; i++) open()
  }

  function request(method: string, path: string, headers = '', body = ''): string {
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${from()}${headers}${length}\r\n${body}`
  }

  return {
    token,
    /** Number of connections to open from the origin, slightly below the number that the server accepts. */
    maxConnections: origin === 'address' ? 250 : 1_000,
    /** Number of TCP connections to open from the origin, slightly below the number that the server accepts. */
    maxTcpConnections: origin === 'address' ? 570 : 2_300,
    url: `http://127.0.0.1:${port}`,
    address,
    hold,
    request,
    /** Holds `count` connections open. Each sends the next request as soon as data of a response arrives. */
    sendRequests(count: number, next: () => string): void {
      hold(count, (socket) => {
        socket.on('data', () => socket.write(next()))
        socket.write(next())
      })
    },
    post: (path: string, body: unknown) =>
      request('POST', path, 'Content-Type: application/json\r\n', JSON.stringify(body)),
    /**
     * Holds `count` WebSockets in the room. Calls `begin` with each socket and a function that returns what the socket
     * has received until then.
     */
    join(count: number, begin: (socket: Socket, received: () => string) => void, auth = ''): void {
      hold(count, (socket) => {
        let text = ''
        let stage = 0
        const look = (chunk: Buffer) => {
          text += chunk.toString('latin1')
          if (stage === 0 && text.includes('0{"sid"')) {
            stage = 1
            socket.write(encodeFrame(opcodes.text, `40${auth}`))
          }
          if (stage === 1 && text.includes('40{"sid"')) {
            stage = 2
            socket.off('data', look)
            begin(socket, () => text)
          }
        }
        socket.on('data', look)
        socket.write(upgradeRequest(undefined, from()))
      })
    },
  }
}

export type Target = ReturnType<typeof createTarget>

/** Writes at an interval until the connection is closed. */
export function repeat(socket: Socket, everyMs: number, bytes: () => Buffer): void {
  const timer = setInterval(() => socket.write(bytes()), everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** Returns the time until the next multiple of an interval. */
const untilNext = (everyMs: number) => everyMs - (Date.now() % everyMs)

/** Writes at an interval until the connection is closed, at the same moments as all other connections. */
export function repeatTogether(socket: Socket, everyMs: number, bytes: () => Buffer): void {
  const timer = setTimeout(() => {
    socket.write(bytes())
    repeatTogether(socket, everyMs, bytes)
  }, untilNext(everyMs))
  socket.once('close', () => clearTimeout(timer))
}

/** Closes the connection at the next multiple of an interval, at the same moment as all other connections. */
export function closeTogether(socket: Socket, everyMs: number): void {
  const timer = setTimeout(() => socket.destroy(), untilNext(everyMs))
  socket.once('close', () => clearTimeout(timer))
}

/** Writes as fast as the connection accepts and reads nothing. */
export function pump(socket: Socket, bytes: string | Buffer): void {
  socket.pause()
  const write = () => {
    if (socket.destroyed) return
    if (socket.write(bytes)) setImmediate(write)
    else socket.once('drain', write)
  }
  write()
}
