import type { Socket as EngineSocket } from 'engine.io'
import type { Sessions } from '../../accounts/sessions/sessions.ts'
import { createGuard } from '../../base/error-guard.ts'
import { costlyInputFrom } from '../../base/fault-point.ts'
import { createCostMeter } from '../../limits/cost-meter.ts'
import type { Limits } from '../../limits/open-limits.ts'
import type { Moderation } from '../../moderation/open-moderation.ts'
import type { ModuleContext } from '../../observe/module-context.ts'
import type { Audience } from '../../room/deliver/audience.ts'
import type { Presence } from '../../room/presence/presence.ts'
import type { Roster } from '../../room/presence/roster.ts'
import type { Room } from '../../room/send/room.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Http } from '../http/open-http.ts'
import { createNoticeBroadcast } from './broadcast-notice.ts'
import type { Connection } from './connection.ts'
import { drainConnections } from './drain.ts'
import { createEngineGate } from './engine-gate.ts'
import { guardConnections } from './guard-connections.ts'
import { moderateConnections } from './moderate-connections.ts'
import { monitorIsolation } from './isolation-monitor.ts'
import type { OpenedDelivery } from './open-delivery.ts'
import { serveConnections } from './serve-connections.ts'
import { countPages, createSocketServer } from './socket-server.ts'

interface SocketsDeps {
  http: Pick<Http, 'server' | 'addressOf' | 'allowsOrigin' | 'isAllowedOrigin'>
  sessions: Sessions
  moderation: Moderation
  room: Room
  audience: Audience<Connection>
  presence: Presence<Connection>
  roster: Roster
  limits: Limits
  writers: OpenedDelivery
  isolatedAfterMs: number | null
  isDraining: () => boolean
}

/** Opens Socket.IO on the HTTP server and serves the connections of the room. */
export function openSockets({ settings, report, metrics, resources }: ModuleContext, deps: SocketsDeps) {
  const { http, sessions, moderation, room, audience, presence, roster, limits, writers, isolatedAfterMs } = deps
  const { server, addressOf, allowsOrigin, isAllowedOrigin } = http
  const { hasFastPath, socketWriter, writer, acks } = writers
  const { admission, pressure, sendRate } = limits
  const guard = createGuard(report)
  const cost = createCostMeter<EngineSocket>((connection, { address }) => {
    terminate(connection)
    report({ type: 'costly-closed', address })
  })
  const { io, engine, heartbeats } = createSocketServer(server, {
    allowsOrigin,
    guard,
    hasFastPath,
    socketWriter,
    cost: { start: () => cost.start(), chargeDecoding: (startedMs) => guarded.chargeDecoding(startedMs) },
  })
  resources.defer(async () => {
    // Acknowledge the queued messages while the connections are open.
    await room.close()
    const closed = io.close()
    // `io.close` closes only the connections of sessions. Close all other HTTP connections that are not upgraded.
    server.closeAllConnections()
    await closed
  })
  resources.defer(heartbeats.stop)
  metrics.watch({ connections: () => io.engine.clientsCount, pages: () => countPages(io) })

  const broadcastNotice = createNoticeBroadcast(io, writer)
  const drain = (startMs: number, signal: AbortSignal | null) =>
    drainConnections(io, { broadcastNotice, startMs, fanOutDone: audience.fanOutDone, signal })
  const isolation = monitorIsolation({
    isolatedAfterMs,
    isRoomWritable: room.isWritable,
    // Clients need not wait for a start, because the other nodes are running.
    leave: (signal) => void drain(0, signal),
    report,
  })
  resources.defer(isolation.stop)
  const isDraining = () => deps.isDraining() || isolation.isIsolated()
  const gate = createEngineGate({ isAllowedOrigin, addressOf, admission, pressure, cost, isDraining, report })
  const { maxConnectionsPerIp } = settings
  const guarded = guardConnections({ engine, gate, admission, maxConnectionsPerIp, cost, guard, report })
  serveConnections(io, {
    moderation: moderateConnections(io, { moderation, sessions, writer }),
    sessions,
    room,
    audience,
    presence,
    roster,
    sendRate,
    acks,
    admit: guarded.admit,
    cost: guarded,
    costlyInput: costlyInputFrom(process.env),
    watchUnread: writer.watch,
    guard,
    report,
  })

  return {
    /** Closes the connections gracefully. `startMs` is the duration of a start, after which clients may reconnect. */
    drain: (startMs: number) => drain(startMs, null),
    countConnections: () => io.engine.clientsCount,
  }
}
