import { isDeepStrictEqual } from 'node:util'
import { Compile } from 'typebox/compile'
import { moderationEvents, type ServerToClientEvents } from '../../../contract/events.ts'
import { ModeratorAction } from '../../../contract/moderation.ts'
import type { Sessions } from '../../accounts/sessions/sessions.ts'
import { restarting } from '../../base/common-rejections.ts'
import { monotonicMs } from '../../base/monotonic-ms.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { createTokenBucket, type TokenBucket, tokenWaitMs } from '../../limits/token-bucket.ts'
import type { Actor } from '../../moderation/moderation-actions.ts'
import type { ModerationSnapshot } from '../../moderation/moderation-state.ts'
import type { Moderation } from '../../moderation/open-moderation.ts'
import { encodePackets, type EventArgs, eventPacket } from '../../room/deliver/encoded-packets.ts'
import type { LogEntry } from '../../room/message-log.ts'
import { type Connection, extendedSocketOf } from './connection.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import { senderOf } from './identity.ts'
import type { Acknowledge } from './listen.ts'
import type { RoomServer } from './socket-server.ts'

/** Rate limit of the actions of one connection. Each action reads the database, and most write to it. */
export const actionRate = { perSecond: 5, burst: 20 }

const isModeratorAction = Compile(ModeratorAction)

/** Returns the arguments of the event `room-rules`, for new connections, for open ones, and to detect a change. */
const roomRulesOf = ({
  rules,
  announcement,
}: ModerationSnapshot): EventArgs<ServerToClientEvents, typeof moderationEvents.roomRules> => [rules, announcement]

interface ModeratedConnectionsDeps {
  moderation: Moderation
  sessions: Pick<Sessions, 'isRevoked'>
  writer: Pick<GuardedWriter, 'write'>
}

/** Applies roles, rules and restrictions to connections. Changes also apply to open connections. */
export function moderateConnections(io: RoomServer, { moderation, sessions, writer }: ModeratedConnectionsDeps) {
  const buckets = new WeakMap<Connection, TokenBucket>()
  const roleOf = ({ identity }: Connection) =>
    identity.kind === 'account' && moderation.isModerator(identity.accountId) ? 'moderator' : null
  const findProblem = ({ identity, address, receivesMessages }: Connection) =>
    moderation.findConnectProblem(() => senderOf(identity, address), receivesMessages)
  const canReceiveRules = ({ removals, receivesMessages }: Connection) => removals !== null && receivesMessages

  moderation.onChange((snapshot, previous) => {
    const connections = [...io.sockets.sockets.values()].map(({ data }) => data.connection)
    if (snapshot.restrictions.hasBans) {
      // Close the transport instead of disconnecting the socket: the client reconnects and gets the rejection.
      for (const connection of connections) if (findProblem(connection) !== null) connection.socket.conn.close()
    }
    const rulesNow = roomRulesOf(snapshot)
    if (!isDeepStrictEqual(rulesNow, roomRulesOf(previous))) {
      writer.write(
        connections.filter(canReceiveRules).map(({ socket }) => socket.conn),
        encodePackets(() => [eventPacket(moderationEvents.roomRules, ...rulesNow)]),
      )
    }
    for (const connection of connections) {
      const { identity } = connection
      if (identity.kind !== 'account' || !canReceiveRules(connection)) continue
      if (snapshot.moderators.has(identity.accountId) !== previous.moderators.has(identity.accountId)) {
        extendedSocketOf(connection)?.emit(moderationEvents.role, roleOf(connection))
      }
    }
  })

  function actorOf({ identity }: Connection): Actor {
    if (identity.kind !== 'account' || sessions.isRevoked(identity.tokenHash)) {
      throw new RejectionError('not_allowed', 'You are not a moderator.')
    }
    const { accountId, name, tokenHash } = identity
    return { kind: 'moderator', accountId, name, tokenHash }
  }

  function takeToken(connection: Connection): void {
    const nowMs = monotonicMs()
    const bucket = buckets.get(connection) ?? createTokenBucket(actionRate, nowMs)
    buckets.set(connection, bucket)
    const waitMs = tokenWaitMs(bucket, actionRate, nowMs)
    if (waitMs > 0) throw new RejectionError('rate_limited', 'Too many actions. Wait a moment and try again.', waitMs)
    bucket.tokens--
  }

  return {
    /** Throws if the client of a handshake is banned. Records the network of an account. */
    checkHandshake(connection: Connection): void {
      const { identity, address } = connection
      if (identity.kind === 'account')
        moderation.noteConnection(identity.accountId, senderOf(identity, address).network)
      const problem = findProblem(connection)
      if (problem !== null) throw problem
    },
    isBanned: (connection: Connection) => findProblem(connection) !== null,

    /** Sends the rules, the announcement and the role to a new connection that can receive them. */
    sendRulesAndRole(connection: Connection): void {
      if (!canReceiveRules(connection)) return
      const socket = extendedSocketOf(connection)
      socket?.emit(moderationEvents.roomRules, ...roomRulesOf(moderation.snapshot()))
      const role = roleOf(connection)
      if (role !== null) socket?.emit(moderationEvents.role, role)
    },

    checkMessage: ({ socket }: Connection, entry: LogEntry) => moderation.checkMessage(entry, socket.id),
    releaseSlot: moderation.releaseSlot,

    /** Handles the event `moderate`. */
    async handleAction(connection: Connection, [action]: unknown[], acknowledge: Acknowledge): Promise<void> {
      if (connection.isClosing) throw restarting()
      takeToken(connection)
      if (!isModeratorAction.Check(action)) throw new RejectionError('invalid', 'There is no such action.')
      const actor = actorOf(connection)
      connection.unacknowledged++
      try {
        const { ok: _, ...result } = await moderation.perform(actor, action)
        acknowledge({ ok: true, ...result })
      } finally {
        connection.unacknowledged--
      }
    },
  }
}

export type ModeratedConnections = ReturnType<typeof moderateConnections>
