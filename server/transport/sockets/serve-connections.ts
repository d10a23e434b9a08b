import { events } from '../../../contract/events.ts'
import type { Sessions } from '../../accounts/sessions/sessions.ts'
import type { AckBatch } from '../fast-path/ack-batch.ts'
import type { Capabilities } from '../fast-path/library-internals.ts'
import { slimConnection } from '../fast-path/slim-connection.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Guard } from '../../base/error-guard.ts'
import type { AdmissionState } from '../../limits/admission.ts'
import { createRequestThrottle } from '../../limits/request-throttle.ts'
import type { SendRateLimit } from '../../limits/send-rate.ts'
import type { Presence } from '../../room/presence/presence.ts'
import type { Roster } from '../../room/presence/roster.ts'
import type { Report } from '../../observe/events.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { restarting } from '../../base/common-rejections.ts'
import type { Audience } from '../../room/deliver/audience.ts'
import type { Room } from '../../room/send/room.ts'
import { entryToStore } from '../../room/send/send-message.ts'
import { connectError } from './connect-error.ts'
import { type Connection, createConnection, type RoomSocket } from './connection.ts'
import { type Handshake, readCursor, readHandshake } from './handshake.ts'
import { createListener, type EventHandler } from './listen.ts'
import type { RoomServer } from './socket-server.ts'

interface ConnectionDeps {
  sessions: Sessions
  room: Room
  audience: Audience<Connection>
  presence: Presence<Connection>
  roster: Pick<Roster, 'join' | 'leave'>
  sendRate: SendRateLimit
  acks: AckBatch
  capabilities: Capabilities
  admit: (conn: RoomSocket['conn']) => AdmissionState | null
  /** Called for whoever sends something: its answers are to be read. */
  watchUnread: (conn: RoomSocket['conn']) => void
  guard: Guard
  report: Report
}

/** A few bytes ask for a whole replay or a whole list: not more often than a page could ever need. */
const resumeEveryMs = 250
const resyncEveryMs = 1_000

/** Lets connections in, gives each the events of its channel, and answers what it sends. */
export function serveConnections(io: RoomServer, deps: ConnectionDeps): void {
  const { sessions, audience, presence, roster, capabilities, admit, watchUnread, guard, report } = deps
  const listener = createListener(eventHandlers(deps), report)

  // In this order: whether it may stay, who it is, what it wants. Nothing is looked up for one that is turned away.
  function admitSocket(socket: RoomSocket, next: (error?: Error) => void): void {
    const admitted = admit(socket.conn)
    if (admitted === null) return terminate(socket.conn)
    if (admitted.rejection !== null) {
      next(connectError(admitted.rejection, report))
      setImmediate(() => socket.conn.close())
      return
    }
    readHandshake(socket.handshake.auth, sessions.authenticate)
      .then((handshake) => prepareConnection(socket, handshake, admitted.address))
      .then(
        (isReady) => {
          if (isReady) next()
        },
        (error: unknown) => {
          if (!(error instanceof RejectionError)) report({ type: 'handler-failed', handler: 'handshake', error })
          next(connectError(error, report))
        },
      )
      .catch((error: unknown) => guard.closeAfterError(error, 'handshake', () => terminate(socket.conn)))
  }

  async function prepareConnection(socket: RoomSocket, handshake: Handshake, address: string): Promise<boolean> {
    const connection = createConnection(socket, handshake, address)
    if (connection.receivesMessages && connection.asked === 'head') {
      connection.asked = await audience.newcomerPosition(() => socket.conn.readyState === 'open')
    }
    socket.data = { connection }
    if (connection.asked !== null) return true
    // Not a refusal in Socket.IO's words, after which a client stays away: it is to try again, perhaps elsewhere.
    report({ type: 'request-rejected', reason: 'connect_unavailable' })
    socket.conn.close()
    return false
  }
  io.use(guard.wrap('admission', admitSocket, (socket) => terminate(socket.conn)))

  // Shared by all sockets: Socket.IO calls both with the socket as `this`.
  function onAny(this: RoomSocket, event: string, ...args: unknown[]): void {
    if (!this.connected) return
    watchUnread(this.conn)
    listener(this.data.connection, event, args)
  }
  const onAnyGuarded = guard.wrap('event', onAny, terminateSocket)
  const sharedListeners = [onAnyGuarded]
  function onDisconnect(this: RoomSocket): void {
    const { connection } = this.data
    roster.leave(this.id)
    presence.unwatch(connection)
    audience.leave(connection)
    if (connection.tokenHash !== null) sessions.noteDisconnected(connection.tokenHash)
  }
  const onDisconnectGuarded = guard.wrap('disconnect', onDisconnect, terminateSocket)

  function onConnection(socket: RoomSocket): void {
    const { connection } = socket.data
    if (connection.tokenHash !== null && sessions.isRevoked(connection.tokenHash)) return socket.conn.close()
    socket.onAny(onAnyGuarded)
    if (capabilities.slimConnections) slimConnection(socket, sharedListeners)
    socket.on('disconnect', onDisconnectGuarded)
    roster.join(socket.id)
    if (connection.receivesMessages) audience.place(connection, connection.asked ?? 'head')
    if (connection.receivesPresence) presence.watch(connection)
  }
  io.on(
    'connection',
    guard.wrap('connection', onConnection, (socket) => terminate(socket.conn)),
  )

  // Not Socket.IO's own farewell, after which a client stays away: it is to come back and hear why.
  sessions.onRevoked((tokenHash) => {
    for (const { conn, data } of io.sockets.sockets.values()) {
      if (data.connection.tokenHash === tokenHash) conn.close()
    }
  })
}

function terminateSocket(this: RoomSocket): void {
  terminate(this.conn)
}

function eventHandlers({
  room,
  audience,
  presence,
  sendRate,
  acks,
  guard,
}: ConnectionDeps): Record<string, EventHandler<Connection>> {
  /** For what is done later, from a timer, if the connection is still there. */
  const guarded = (name: string, { socket }: Connection, work: () => void) =>
    guard.wrap(
      name,
      () => {
        if (socket.connected) work()
      },
      () => terminate(socket.conn),
    )
  const throttleResume = createRequestThrottle<Connection>(resumeEveryMs)
  const throttleResync = createRequestThrottle<Connection>(resyncEveryMs)
  return {
    [events.sendMessage](connection, [payload, options], answer) {
      if (connection.isClosing) throw restarting()
      connection.takeSendToken ??= sendRate.forConnection(connection.address, connection.accountName !== null)
      const entry = entryToStore(payload, options, connection.accountName, connection.takeSendToken)
      connection.unacknowledged++
      connection.sentAtMs = performance.now()
      room.post(entry, (result) => {
        connection.unacknowledged--
        acks.join(connection.socket.conn)
        answer(typeof result === 'number' ? { ok: true, seq: result } : { ok: false, ...result.toRejection() })
      })
    },
    [events.resume](connection, [cursor]) {
      if (!connection.receivesMessages || !connection.wantsPositions) return
      // Read at once: what waits for its turn must not be as large as a frame.
      const asked = readCursor(cursor)
      throttleResume(
        connection,
        guarded('resume', connection, () => audience.place(connection, asked)),
      )
    },
    [events.onlineUsersResync](connection) {
      throttleResync(
        connection,
        guarded('resync', connection, () => presence.resync(connection)),
      )
    },
  }
}
