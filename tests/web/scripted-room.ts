import { createServer } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { Server, type Socket } from 'socket.io'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { HandshakeAuth } from '../../contract/handshake.ts'
import type { ChatMessage, Cursor, SendAck, SendOptions } from '../../contract/messages.ts'

type RoomSocket = Socket<ClientToServerEvents, ServerToClientEvents>

/** What outlives a server: the log, and a record of what pages asked for. */
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

/** What a test makes the server do instead of the ordinary. */
export interface Script {
  /** The code that a handshake is refused with. */
  reject?: (auth: HandshakeAuth) => string | null
  /** When a refused handshake may be tried again. */
  retryAfterMs?: number
  /** Handshakes are neither let in nor refused. */
  ignoresHandshakes?: boolean
  /** Instead of storing: a refusal, or silence. */
  answer?: (payload: ChatMessage, options: SendOptions) => SendAck | 'silence' | null
  /** Stored, but the acknowledgement never leaves. */
  losesAcks?: boolean
  /** No cursors, no positions: a server that knows the specified events only. */
  withoutPositions?: boolean
  ignoresResumes?: boolean
  pingIntervalMs?: number
  pollingOnly?: boolean
}

/** A real Socket.IO server that does what a test tells it, for what a well-behaved one cannot be brought to do. */
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

  function stand(socket: RoomSocket, cursor: Cursor | undefined) {
    const head = log.messages.length
    const bridged = cursor?.epoch === log.epoch && cursor.seq >= log.trimmedTo && cursor.seq <= head
    const from = bridged ? cursor.seq : head
    socket.emit(events.cursor, { epoch: log.epoch, seq: from })
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
    if (auth.channel === 'messages' && !script.withoutPositions) stand(socket, auth.cursor as Cursor | undefined)
    if (auth.channel === 'presence') {
      socket.emit(events.onlineUsers, [...io.of('/').sockets.keys()], { version: 1 })
    }
    socket.on(events.sendMessage, (payload: ChatMessage, ...rest: unknown[]) => {
      const [options, ack] = rest as [SendOptions, (answer: SendAck) => void]
      log.sends.push({ payload, options })
      const instead = script.answer?.(payload, options)
      if (instead === 'silence') return
      const answer: SendAck = instead ?? { ok: true, seq: store(payload, options.id) }
      if (!script.losesAcks) ack(answer)
    })
    socket.on(events.resume, (cursor) => {
      log.resumes.push(cursor)
      if (!script.ignoresResumes) stand(socket, cursor)
    })
    socket.on(events.onlineUsersResync, () => {
      log.resyncs++
      socket.emit(events.onlineUsers, ['a', 'b', 'c'], { version: 10 })
    })
  })

  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const { port: openPort } = http.address() as AddressInfo

  /** Cuts every connection, as a crash does, and leaves the port. */
  async function kill() {
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
    say(message: string, createdTime = Date.now()) {
      return store({ username: 'server', message, createdTime }, crypto.randomUUID())
    },
    kill,
  }
}
