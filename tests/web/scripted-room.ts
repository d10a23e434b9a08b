import { createServer } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { Server, type Socket } from 'socket.io'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { HandshakeAuth } from '../../contract/handshake.ts'
import type { ChatMessage, Cursor, SendAck, SendOptions } from '../../contract/messages.ts'

type RoomSocket = Socket<ClientToServerEvents, ServerToClientEvents>

/** Creates the state that survives a restart of the server: the log, and a record of the requests of pages. */
export function createScriptedLog(epoch = 'first-log') {
  return {
    epoch,
    messages: [] as ChatMessage[],
    seqById: new Map<string, number>(),
    trimmedTo: 0,
    handshakes: [] as HandshakeAuth[],
    sends: [] as { payload: ChatMessage; options: SendOptions }[],
    resumes: [] as Cursor[],
    resyncs: 0,
  }
}
export type ScriptedLog = ReturnType<typeof createScriptedLog>

/** Deviations of the server from normal behaviour that a test selects. */
export interface Script {
  /** Returns the code to reject a handshake with; `null` accepts it. */
  reject?: (auth: HandshakeAuth) => string | null
  /** Retry time sent with a rejected handshake. */
  retryAfterMs?: number
  /** Whether the server never responds to handshakes. */
  ignoresHandshakes?: boolean
  /** Returns the response to a message that is not stored, or 'silence' for no response. `null` stores the message. */
  acknowledge?: (payload: ChatMessage, options: SendOptions) => SendAck | 'silence' | null
  /** Whether the server stores messages without sending the acknowledgement. */
  losesAcks?: boolean
  /** Whether the server sends no cursor on connect and no positions, like a server with only the specified events. */
  withoutPositions?: boolean
  ignoresResumes?: boolean
  pingIntervalMs?: number
  pollingOnly?: boolean
}

/** Opens a real Socket.IO server with the deviations that `script` selects. */
export async function openScriptedRoom(log: ScriptedLog, script: Script = {}, port = 0) {
  const http = createServer()
  const tcp = new Set<TcpSocket>()
  http.on('connection', (socket) => {
    tcp.add(socket)
    socket.on('close', () => tcp.delete(socket))
  })
  const io = new Server<ClientToServerEvents, ServerToClientEvents>(http, {
    pingInterval: script.pingIntervalMs ?? 10_000,
    pingTimeout: 10_000,
    transports: script.pollingOnly ? ['polling'] : ['polling', 'websocket'],
  })
  const sockets = (channel: string) =>
    [...io.of('/').sockets.values()].filter((socket) => socket.handshake.auth['channel'] === channel)

  io.use((socket, next) => {
    const auth = socket.handshake.auth as HandshakeAuth
    log.handshakes.push(auth)
    if (script.ignoresHandshakes) return
    const code = script.reject?.(auth)
    const { retryAfterMs } = script
    next(code ? Object.assign(new Error(code), { data: { retryAfterMs } }) : undefined)
  })

  function sendCursor(socket: RoomSocket, cursor: Cursor | undefined) {
    const head = log.messages.length
    const canReplay = cursor?.epoch === log.epoch && cursor.seq >= log.trimmedTo && cursor.seq <= head
    const from = canReplay ? cursor.seq : head
    socket.emit(events.cursor, { epoch: log.epoch, seq: from }, { head })
    for (let seq = from + 1; seq <= head; seq++) deliver(socket, seq)
  }

  function deliver(socket: RoomSocket, seq: number) {
    const message = log.messages[seq - 1]!
    if (script.withoutPositions) socket.emit(events.receiveMessage, ...([message] as unknown as [ChatMessage, Cursor]))
    else socket.emit(events.receiveMessage, message, { epoch: log.epoch, seq })
  }

  function store(payload: ChatMessage, id: string) {
    const known = log.seqById.get(id)
    if (known !== undefined) return known
    const seq = log.messages.push(payload)
    log.seqById.set(id, seq)
    for (const socket of sockets('messages')) deliver(socket, seq)
    return seq
  }

  io.on('connection', (socket) => {
    const auth = socket.handshake.auth as HandshakeAuth
    if (auth.channel === 'messages' && !script.withoutPositions) sendCursor(socket, auth.cursor as Cursor | undefined)
    if (auth.channel === 'presence') {
      socket.emit(events.onlineUsers, [...io.of('/').sockets.keys()], { version: 1 })
    }
    socket.on(events.sendMessage, (payload: ChatMessage, ...rest: unknown[]) => {
      const [options, ack] = rest as [SendOptions, (response: SendAck) => void]
      log.sends.push({ payload, options })
      const scripted = script.acknowledge?.(payload, options)
      if (scripted === 'silence') return
      const response: SendAck = scripted ?? { ok: true, seq: store(payload, options.id) }
      if (!script.losesAcks) ack(response)
    })
    socket.on(events.resume, (cursor) => {
      log.resumes.push(cursor)
      if (!script.ignoresResumes) sendCursor(socket, cursor)
    })
    socket.on(events.onlineUsersResync, () => {
      log.resyncs++
      socket.emit(events.onlineUsers, ['a', 'b', 'c'], { version: 10 })
    })
  })

  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const { port: openPort } = http.address() as AddressInfo

  /** Destroys every connection and closes the port, like a crash. */
  async function crash() {
    if (!http.listening) return
    const closed = new Promise((resolve) => http.close(resolve))
    for (const socket of tcp) socket.destroy()
    await closed
    await io.close()
  }

  return {
    port: openPort,
    url: `http://127.0.0.1:${openPort}`,
    http,
    io,
    sockets,
    broadcast(message: string, createdTime = Date.now()) {
      return store({ username: 'server', message, createdTime }, crypto.randomUUID())
    },
    crash,
  }
}
