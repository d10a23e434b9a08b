import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { upgradeRequest, webSocketPath } from '../web-socket-frames.ts'

const caseDeadlineMs = 20_000

/** Resolves to the result of a case. Rejects when the server does not finish it in time. */
export function within<Result>(what: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server did not finish ${what}`)), caseDeadlineMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export function openSocket(port: number): { socket: Socket; closed: Promise<void> } {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
}

/** Returns the session id in the response to a handshake; `null` if the server rejected it, for example under load. */
export function sessionIdIn(response: string): string | null {
  return /"sid":"([^"]+)"/.exec(response)?.[1] ?? null
}

/** Writes a request, ends the connection, and waits until the server closes it. */
export async function driveHttp(port: number, bytes: Buffer): Promise<void> {
  const { socket, closed } = openSocket(port)
  socket.end(bytes)
  await within(`the request ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`, closed)
}

/** Opens a raw WebSocket, joins the room, and writes the frames. */
export async function driveFrames(port: number, frames: Buffer[]): Promise<void> {
  const { socket, closed } = openSocket(port)
  let seen = ''
  const joined = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      const before = seen
      seen += chunk.toString('latin1')
      if (!before.includes(opened) && seen.includes(opened)) socket.write(joinFrame)
      if (seen.includes(joinedPacket)) resolve()
    })
  })
  socket.write(upgradeRequest())
  await within('a WebSocket', Promise.race([joined, closed]))
  for (const frame of frames) socket.write(frame)
  socket.end()
  await within('a WebSocket with broken frames', closed)
}

const opened = '0{"sid"'
const joinedPacket = '40{"sid"'
const joinFrame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30])
const finalEvent = '42999["final event"]'
const finalAck = '43999'

/**
 * Sends packets over a WebSocket. Resolves when the server rejects or closes the connection, or acknowledges a final
 * event.
 */
export async function drivePackets(port: number, auth: string, packets: (string | Buffer)[]): Promise<void> {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}${webSocketPath}`)
  const done = new Promise<void>((resolve) => {
    webSocket.on('error', () => resolve())
    webSocket.on('close', () => resolve())
    webSocket.on('open', () => webSocket.send(`40${auth}`))
    webSocket.on('message', (data: Buffer) => {
      const received = data.toString()
      if (received.startsWith('40')) for (const packet of [...packets, finalEvent]) webSocket.send(packet)
      if (received.startsWith('44') || received.startsWith(finalAck)) resolve()
    })
  })
  try {
    await within(`the packets ${JSON.stringify(packets.map(String)).slice(0, 500)}`, done)
  } finally {
    webSocket.terminate()
  }
}

/** Sends the packets over polling in one payload. */
export async function drivePolling(port: number, auth: string, packets: (string | Buffer)[]): Promise<void> {
  const path = `http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`
  // The server may close a session and its connection in the middle of a response.
  const call = (url: string, init: { method?: string; body?: string } = {}) =>
    within(
      `polling ${init.body?.slice(0, 300)}`,
      fetch(url, init).then(
        (response) => response.text(),
        () => '',
      ),
    )
  const sid = sessionIdIn(await call(path))
  if (sid === null) return
  const session = `${path}&sid=${sid}`
  await call(session, { method: 'POST', body: `40${auth}` })
  if (!(await call(session)).startsWith('40')) return
  await call(session, { method: 'POST', body: packets.map(String).join('\u001e') })
  await call(session, { method: 'POST', body: '1' })
}
