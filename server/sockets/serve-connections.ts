import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import { events } from '../../contract/events.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { SlowReaders } from '../fanout/slow-readers.ts'
import type { SendRateLimit } from '../limits/send-rate.ts'
import type { Presence, PresenceWatcher } from '../presence/presence.ts'
import { Refused } from '../refused.ts'
import type { Audience } from '../room/audience.ts'
import type { Room } from '../room/room.ts'
import { entryToStore } from '../room/send-message.ts'
import { readCursor, readHandshake } from './handshake.ts'
import { listen, refuseUnknownEvents } from './listen.ts'
import type { RoomServer } from './socket-server.ts'
import { subscriberOf } from './subscriber-of.ts'

interface ConnectionDeps {
  accounts: Accounts
  room: Room
  audience: Audience
  presence: Presence
  slowReaders: SlowReaders
  sendRate: SendRateLimit
  addressOf: (socket: Socket) => string
  log: Logger
}

/** Lets connections in and gives each the events of its channel. */
export function serveConnections(io: RoomServer, deps: ConnectionDeps): void {
  const { accounts, log } = deps

  io.use((socket, next) => {
    readHandshake(socket.handshake.auth, (token) => accounts.authenticate(token)).then(
      (greeting) => {
        socket.data = { greeting, unanswered: 0 }
        next()
      },
      (error: unknown) => {
        if (!(error instanceof Refused)) log.error({ err: error }, 'a handshake failed')
        next(connectError(error))
      },
    )
  })

  io.on('connection', (socket) => {
    const { channel } = socket.data.greeting
    deps.presence.join(socket.id)
    socket.once('disconnect', () => deps.presence.leave(socket.id))
    refuseUnknownEvents(socket)
    takeMessages(socket, deps)
    if (channel !== 'presence') joinAudience(socket, deps)
    if (channel !== 'messages') watchPresence(socket, deps)
  })
}

function takeMessages(socket: Socket, { room, sendRate, addressOf, log }: ConnectionDeps): void {
  const { account } = socket.data.greeting
  const refuseTooFast = sendRate.forConnection(addressOf(socket))
  listen(socket, events.sendMessage, log, ([payload, options], answer) => {
    const entry = entryToStore(payload, options, account?.name ?? null)
    refuseTooFast()
    socket.data.unanswered++
    room.post(entry, (result) => {
      socket.data.unanswered--
      answer(typeof result === 'number' ? { ok: true, seq: result } : { ok: false, ...result.toRefusal() })
    })
  })
}

function joinAudience(socket: Socket, { audience, slowReaders, log }: ConnectionDeps): void {
  const subscriber = subscriberOf(socket, slowReaders)
  audience.place(subscriber, socket.data.greeting.cursor)
  listen(socket, events.resume, log, ([cursor]) => audience.place(subscriber, readCursor(cursor) ?? 'malformed'))
  socket.once('disconnect', () => audience.leave(subscriber))
}

function watchPresence(socket: Socket, { presence, slowReaders, log }: ConnectionDeps): void {
  const watcher: PresenceWatcher = {
    wantsDeltas: socket.data.greeting.wantsDeltas,
    write: (parcel) => slowReaders.writePresence(socket.conn, parcel),
  }
  presence.watch(watcher)
  listen(socket, events.onlineUsersResync, log, () => presence.resync(watcher))
  socket.once('disconnect', () => presence.unwatch(watcher))
}

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
function connectError(error: unknown): Error {
  const refusal = error instanceof Refused ? error : new Refused('unavailable', 'Something went wrong on the server.')
  return Object.assign(new Error(refusal.code), { data: refusal.toRefusal() })
}
