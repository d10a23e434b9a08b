import { events } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import { createAudience } from '../../server/room/deliver/audience.ts'
import { removedText } from '../../contract/constants.ts'
import type { ModeratorAction } from '../../contract/moderation.ts'
import { createByteBudget } from '../../server/limits/byte-budget.ts'
import type { OperatorAction } from '../../server/moderation/moderation-actions.ts'
import { cursorAt } from '../../server/room/lineage.ts'
import { onlyAsRepeat, type MessageLog } from '../../server/room/message-log.ts'
import { createRoom } from '../../server/room/send/room.ts'
import { entryToStore } from '../../server/room/send/send-message.ts'
import { type RequestedPosition, type Subscriber } from '../../server/room/deliver/subscriber.ts'
import { readCursor } from '../../server/transport/sockets/handshake.ts'
import { bodyOf, type HistoryEvent, keyOf } from '../faults/history.ts'
import type { Random } from '../faults/random.ts'
import type { Connection } from './connection.ts'
import { type Check, checkMessage, type Identity, senderOf, type SimulatedModeration } from './simulated-moderation.ts'
import type { Handshake } from './simulated-page.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

interface Member extends Subscriber {
  readonly connection: Connection
  /** Identity of the client. The session is `null` until the token is checked, and always for an anonymous client. */
  identity: Identity
}

export interface SimulatedServerOptions {
  /** Process that owns the timers of the server. */
  owner: Owner
  log: MessageLog
  /** Moderation of the process; `null` in a run without moderation. */
  moderation: SimulatedModeration | null
  maxAgeMs: number
  time: VirtualTime
  random: Random
  recordServerEvent: (event: HistoryEvent) => void
}

const allowed: Check = { slot: null, problem: null }

export type SimulatedServer = ReturnType<typeof startSimulatedServer>

/** Starts a simulated server process: the real room and fan-out with the given log and simulated connections. */
export function startSimulatedServer(options: SimulatedServerOptions) {
  const { owner, log, moderation, maxAgeMs, time, random, recordServerEvent } = options
  const members = new Map<Connection, Member>()

  const audience = createAudience<Member>(
    log,
    {
      confirmPosition: ({ connection }, cursor, head) => connection.toClient(events.cursor, [cursor, { head }]),
      writeLive(subscribers, encoded) {
        for (const { connection } of subscribers) sendPackets(connection, encoded.packets)
      },
      writeAndDrain: ({ connection }, encoded) => {
        sendPackets(connection, encoded.packets)
        return connection.drained()
      },
      isOpen: ({ connection }) => connection.isOpen(),
      isBehind: () => random.chance(0.02),
    },
    {
      maxAgeMs,
      report: () => undefined,
      // A slice has one subscriber, so that other tasks can run between any two subscribers of a batch.
      slicing: { sliceMs: 0, chunkSize: 1 },
      replayBudget: createByteBudget(0),
    },
  )
  const room = time.as(owner, () =>
    createRoom(log, {
      report: () => undefined,
      batchAcks: (acknowledgeAll) => acknowledgeAll(),
      fanOutDone: () => audience.fanOutDone(),
      subscriberCount: () => audience.subscriberCount(),
      faultPoint: () => undefined,
    }),
  )

  function sendPackets(connection: Connection, packets: readonly string[]): void {
    for (const packet of packets) {
      const [event, ...args] = JSON.parse(packet.slice(1)) as [string, ...unknown[]]
      connection.toClient(event, args)
    }
  }

  function receive(member: Member, event: string, args: unknown[], acknowledge: (ack: SendAck) => void): void {
    if (event === events.resume) audience.place(member, readCursor(args[0]) ?? 'malformed')
    if (event !== events.sendMessage) return
    const { identity } = member
    const { session } = identity
    const entry = {
      ...entryToStore(args[0], args[1], session?.account.name ?? null, () => undefined),
      sender: senderOf(identity),
    }
    const { slot, problem } = moderation === null ? allowed : checkMessage(moderation, entry)
    if (problem?.code === 'rate_limited' || (problem !== null && entry.id === null))
      return acknowledge({ ok: false, ...problem.toRejection() })
    room.post({
      entry: problem === null ? entry : onlyAsRepeat(entry),
      network: entry.sender.network,
      acknowledge(result) {
        if (slot !== null && typeof result !== 'number') moderation?.moderation.releaseSlot(slot)
        if (typeof result === 'number') return acknowledge({ ok: true, seq: result })
        const rejection = problem !== null && result.code === 'expired' ? problem : result
        acknowledge({ ok: false, ...rejection.toRejection() })
      },
      onStored: () => undefined,
      isAllowed: () => session === null || moderation?.sessions.isRevoked(session.tokenHash) !== true,
    })
  }

  const isBanned = ({ identity }: Member) =>
    moderation?.moderation.findConnectProblem(() => senderOf(identity), true) != null

  /** Checks a token. Returns false if it is invalid or the check fails. Reports an invalid token to the client. */
  async function admitMember(member: Member, token: string): Promise<boolean> {
    const { connection, identity } = member
    try {
      identity.session = (await moderation?.sessions.authenticate(token)) ?? null
    } catch {
      return false
    }
    if (identity.session !== null) return true
    connection.toClient('connect_error', ['unauthorized'])
    await connection.drained()
    return false
  }

  moderation?.moderation.onChange(() => {
    for (const member of members.values()) if (isBanned(member)) member.connection.cut()
  })
  moderation?.sessions.setConnections(function* () {
    for (const { connection, identity } of members.values()) {
      if (identity.session !== null) yield { tokenHash: identity.session.tokenHash, close: () => connection.cut() }
    }
  })

  /** Checks a new client and determines its position before `connect`, as `serve-connections.ts` does. */
  async function placeMember(member: Member, { cursor, token }: Handshake): Promise<void> {
    const { connection } = member
    if (token !== undefined && !(await admitMember(member, token))) return connection.cut()
    if (isBanned(member)) return connection.cut()
    let requested: RequestedPosition | null = readCursor(cursor)
    if (requested === 'head') requested = await audience.newcomerPosition(() => connection.isOpen())
    if (requested === null) return connection.cut()
    if (!members.has(connection)) return
    // Since the checks above, the token may have been revoked, or a ban may have begun.
    const { session } = member.identity
    if (session !== null && moderation?.sessions.isRevoked(session.tokenHash) === true) return connection.cut()
    if (isBanned(member)) return connection.cut()
    connection.toClient('connect', [])
    audience.place(member, requested)
  }

  async function removeMessage(draw: number): Promise<void> {
    const { epoch, oldest, head } = log.bounds()
    if (head < oldest) return
    const seq = oldest + (draw % (head - oldest + 1))
    const position = cursorAt(log.lineage(), seq)
    try {
      const found = await log.readAfter({ epoch, seq: seq - 1 }, { maxMessages: 1, maxCharacters: 1 })
      const message = found?.[0]?.message
      if (message === undefined || message.message === removedText || log.bounds().epoch !== epoch) return
      recordServerEvent({ type: 'removing', key: keyOf(message), body: bodyOf(message), ...position })
      const removed = await log.remove([seq])
      if (removed.length > 0) recordServerEvent({ type: 'removed', ...position })
    } catch {
      // Storage is unavailable. The message may be removed nevertheless.
    }
  }

  /** Runs work as a part of the process. */
  function run<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => void time.after(0, () => void work().then(resolve, reject), owner))
  }

  return {
    /** Accepts a connection. Its events arrive from now on. */
    admit(connection: Connection, handshake: Handshake): void {
      const member: Member = {
        connection,
        identity: { network: handshake.network, session: null },
        wantsPositions: true,
        removals: handshake.wantsRemovals ? 0 : null,
        address: handshake.network,
        subscription: { state: 'unplaced', requested: 'head' },
      }
      members.set(connection, member)
      time.after(0, () => void placeMember(member, handshake), owner)
    },
    receive(connection: Connection, event: string, args: unknown[], acknowledge: (ack: SendAck) => void): void {
      const member = members.get(connection)
      if (member !== undefined) time.after(0, () => receive(member, event, args, acknowledge), owner)
    },
    leave(connection: Connection): void {
      const member = members.get(connection)
      members.delete(connection)
      if (member !== undefined) time.after(0, () => audience.leave(member), owner)
    },
    /** Removes a message, as a moderator does. */
    remove: (draw: number): void => void time.after(0, () => void removeMessage(draw), owner),
    isAlive: () => owner.isAlive,
    /** Performs an action of the operator. The promise never settles if the process crashes. */
    perform: (action: ModeratorAction | OperatorAction) =>
      run(async () => moderation?.moderation.perform({ kind: 'operator' }, action)),
    revoke: (token: string) => run(async () => moderation?.sessions.revoke(token)),
    /** Stops the process as kill -9 does. Stored messages remain. */
    crash(): void {
      owner.isAlive = false
      for (const connection of members.keys()) connection.cut()
    },
  }
}
