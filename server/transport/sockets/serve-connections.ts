import type { DisconnectReason } from 'socket.io'
import { type ClientToServerEvents, events, moderationEvents } from '../../../contract/events.ts'
import type { Sessions } from '../../accounts/sessions/sessions.ts'
import type { AckBatch } from '../fast-path/ack-batch.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Guard } from '../../base/error-guard.ts'
import type { AdmissionState } from '../../limits/admission.ts'
import type { CountStored } from '../../limits/raid-guard.ts'
import { createRequestThrottle } from '../../limits/request-throttle.ts'
import type { SendRateLimit } from '../../limits/send-rate.ts'
import type { Presence } from '../../room/presence/presence.ts'
import type { Roster } from '../../room/presence/roster.ts'
import type { Report } from '../../observe/events.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { restarting, tooCostly } from '../../base/common-rejections.ts'
import type { Audience } from '../../room/deliver/audience.ts'
import { onlyAsRepeat } from '../../room/message-log.ts'
import type { Room } from '../../room/send/room.ts'
import type { QueuedMessage } from '../../room/send/send-queue.ts'
import { entryToStore } from '../../room/send/send-message.ts'
import { type Connection, createConnection, type RoomSocket } from './connection.ts'
import { connectError, type Handshake, readCursor, readHandshake } from './handshake.ts'
import { senderOf } from './identity.ts'
import { createListener, type EventHandler } from './listen.ts'
import type { ModeratedConnections } from './moderate-connections.ts'
import type { RoomServer } from './socket-server.ts'

interface ConnectionDeps {
  moderation: ModeratedConnections
  sessions: Sessions
  room: Room
  audience: Audience<Connection>
  presence: Presence<Connection>
  roster: Pick<Roster, 'join' | 'leave'>
  sendRate: SendRateLimit
  acks: AckBatch
  admit: (conn: RoomSocket['conn']) => AdmissionState | null
  /** Functions that charge CPU time to connections and return how long a connection must wait. */
  cost: {
    startCost: () => number
    chargeEvent: (conn: RoomSocket['conn'], startedMs: number) => void
    costWaitMs: (conn: RoomSocket['conn']) => number
  }
  /** Fault injection that may block the event loop for this text. */
  costlyInput: (text: unknown) => void
  /** Tracks the unread bytes of a connection that sends, to detect unread acks. */
  watchUnread: (conn: RoomSocket['conn']) => void
  guard: Guard
  report: Report
}

/** Minimum intervals of requests per connection: a few bytes request a whole replay or a whole list. */
const resumeEveryMs = 250
const resyncEveryMs = 1_000

/** Admits sockets, subscribes each to the events of its channel, and handles what it sends. */
export function serveConnections(io: RoomServer, deps: ConnectionDeps): void {
  const { moderation, sessions, audience, presence, roster, admit, cost, watchUnread, guard, report } = deps
  const listener = createListener(eventHandlers(deps), report, ({ socket }) => {
    const waitMs = cost.costWaitMs(socket.conn)
    if (waitMs > 0) throw tooCostly(waitMs)
  })

  // Check admission first, so that the server looks up no token for a rejected connection.
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
    moderation.checkHandshake(connection)
    const requested =
      connection.receivesMessages && handshake.cursor === 'head'
        ? await audience.newcomerPosition(() => socket.conn.readyState === 'open')
        : handshake.cursor
    socket.data = { connection }
    if (requested !== null) {
      connection.subscription = { state: 'unplaced', requested }
      return true
    }
    if (socket.conn.readyState !== 'open') return false
    // Close the transport instead of sending a connect error: the client then reconnects, perhaps to another node.
    report({ type: 'request-rejected', reason: 'connect_unavailable' })
    socket.conn.close()
    return false
  }
  io.use(guard.wrap('admission', admitSocket, (socket) => terminate(socket.conn)))

  // All sockets share these functions. Socket.IO calls them with the socket as `this`.
  function onAny(this: RoomSocket, event: string, ...args: unknown[]): void {
    if (!this.connected) return
    const { conn } = this
    const startedMs = cost.startCost()
    watchUnread(conn)
    listener(this.data.connection, event, args)
    cost.chargeEvent(conn, startedMs)
  }
  const onAnyGuarded = guard.wrap('event', onAny, terminateSocket)
  function onDisconnect(this: RoomSocket, reason: DisconnectReason): void {
    const { connection } = this.data
    roster.leave(this.id)
    presence.unwatch(connection)
    audience.leave(connection)
    if (connection.identity.kind === 'account') sessions.noteDisconnected(connection.identity.tokenHash)
    // Socket.IO keeps the connection open after its only socket has left. A polling client gets its response first.
    if (reason === 'client namespace disconnect') setImmediate(terminate, this.conn)
  }
  const onDisconnectGuarded = guard.wrap('disconnect', onDisconnect, terminateSocket)

  function onConnection(socket: RoomSocket): void {
    const { connection } = socket.data
    const { identity } = connection
    if (identity.kind === 'account' && sessions.isRevoked(identity.tokenHash)) return socket.conn.close()
    // A ban may have come into effect since the handshake was checked.
    if (moderation.isBanned(connection)) return socket.conn.close()
    socket.onAny(onAnyGuarded)
    releaseRequest(socket)
    socket.on('disconnect', onDisconnectGuarded)
    roster.join(socket.id)
    if (connection.receivesMessages) audience.join(connection)
    if (connection.receivesPresence) presence.watch(connection)
    moderation.sendRulesAndRole(connection)
  }
  io.on(
    'connection',
    guard.wrap('connection', onConnection, (socket) => terminate(socket.conn)),
  )

  // Close the transport instead of disconnecting the socket: the client reconnects and gets the rejection.
  sessions.setConnections(function* () {
    for (const { conn, data } of io.sockets.sockets.values()) {
      const { identity } = data.connection
      if (identity.kind === 'account') yield { tokenHash: identity.tokenHash, close: () => conn.close() }
    }
  })
}

/**
 * Releases the HTTP request that opened the connection. The libraries would keep it, which takes a fifth of the heap of
 * an idle connection.
 */
function releaseRequest(socket: RoomSocket): void {
  Object.assign(socket, { handshake: undefined })
  Object.assign(socket.conn, { request: undefined })
}

function terminateSocket(this: RoomSocket): void {
  terminate(this.conn)
}

function eventHandlers({
  moderation,
  sessions,
  room,
  audience,
  presence,
  sendRate,
  acks,
  costlyInput,
  guard,
}: ConnectionDeps): Record<keyof ClientToServerEvents, EventHandler<Connection>> {
  /** Returns a function that a timer can call later. It does nothing if the connection is closed by then. */
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
    [events.sendMessage](connection, [payload, options], acknowledge) {
      if (connection.isClosing) throw restarting()
      costlyInput((payload as { message?: unknown } | undefined)?.message)
      const { identity } = connection
      const accountName = identity.kind === 'account' ? identity.name : null
      connection.takeSendToken ??= sendRate.forConnection(connection.address, accountName !== null)
      const { takeSendToken } = connection
      let countStored: CountStored = () => undefined
      const entry = {
        ...entryToStore(payload, options, accountName, (bytes) => (countStored = takeSendToken(bytes))),
        sender: senderOf(identity, connection.address),
      }
      const { slot, problem } = moderation.checkMessage(connection, entry)
      /** Acknowledges or rejects a message that moderation has checked. */
      const respond: QueuedMessage['acknowledge'] = (result) => {
        if (slot !== null && typeof result !== 'number') moderation.releaseSlot(slot)
        if (typeof result === 'number') return acknowledge({ ok: true, seq: result })
        const rejection = problem !== null && result.code === 'expired' ? problem : result
        acknowledge({ ok: false, ...rejection.toRejection() })
      }
      // Without an id, the message cannot be the repeat of a stored one.
      if (problem !== null && entry.id === null) return respond(problem)
      connection.unacknowledged++
      connection.sentAtMs = performance.now()
      room.post({
        entry: problem === null ? entry : onlyAsRepeat(entry),
        network: connection.limitedNetwork,
        acknowledge: (result) => {
          connection.unacknowledged--
          acks.join(connection.socket.conn)
          respond(result)
        },
        onStored: () => countStored(),
        isAllowed: () => identity.kind !== 'account' || !sessions.isRevoked(identity.tokenHash),
      })
    },
    [events.resume](connection, [cursor]) {
      if (!connection.receivesMessages || !connection.wantsPositions) return
      // Validate before throttling: a waiting request must not keep a payload as large as a frame.
      const requested = readCursor(cursor)
      if (typeof requested === 'string') {
        throw new RejectionError('invalid', 'resume needs a cursor { epoch, seq }. The position has not changed.')
      }
      throttleResume(
        connection,
        guarded('resume', connection, () => audience.place(connection, requested)),
      )
    },
    [moderationEvents.moderate]: (...event) => moderation.handleAction(...event),
    [events.onlineUsersResync](connection) {
      throttleResync(
        connection,
        guarded('resync', connection, () => presence.resync(connection)),
      )
    },
  }
}
