import type { Socket as EngineSocket } from 'engine.io'
import type { SocketWriter } from './socket-writer.ts'

interface HeartbeatTimes {
  intervalMs: number
  timeoutMs: number
  /** Length of a slot. Pings that are due in the same slot are sent together, normally at most two slots late. */
  slotMs?: number
}

/** Undocumented members of Engine.IO's socket. `library-internals.ts` checks that they are present. */
interface HeartbeatInternals {
  pingIntervalTimer: unknown
  pingTimeoutTimer: unknown
  hasRefreshedPingTimeout: boolean
  onClose: (reason: 'ping timeout') => void
}

const defaultSlotMs = 250
/** Maximum number of heartbeats that are checked in one turn of the event loop. */
const maxChecksPerTurn = 512

/**
 * With the fast path, pings all connections from one timer wheel and closes each connection that sends no pong in time.
 * Engine.IO has two timers for each connection and needs a turn of the event loop for each heartbeat, which is four
 * times the work. The rules are Engine.IO's: a ping `intervalMs` after the last pong, and a close `timeoutMs` after a
 * ping. The first packet after the ping, unless it is a pong, restarts `timeoutMs`.
 */
export function createHeartbeats(
  hasFastPath: boolean,
  writer: Pick<SocketWriter, 'ping'>,
  { intervalMs, timeoutMs, slotMs = defaultSlotMs }: HeartbeatTimes,
) {
  /** Heartbeats by the slot in which they are checked. A heartbeat may be due later than its slot. */
  const slots = new Map<number, Heartbeat[]>()
  let nextSlot = slotOf(performance.now())
  let backlog: Heartbeat[] = []

  /**
   * Replacement of both timers of an Engine.IO socket. The socket calls `refresh` for a pong, and for the first other
   * packet after a ping.
   */
  class Heartbeat {
    connection: EngineSocket | null
    dueAtMs = performance.now() + intervalMs
    isAwaited = false

    constructor(connection: EngineSocket) {
      this.connection = connection
    }

    refresh(): void {
      const isPong = this.connection === null || internalsOf(this.connection).pingTimeoutTimer === null
      if (isPong) this.isAwaited = false
      this.dueAtMs = performance.now() + (isPong ? intervalMs : timeoutMs)
    }
  }

  function slotOf(atMs: number): number {
    return Math.ceil(atMs / slotMs)
  }

  /**
   * Schedules the next check for the earlier of two times: the due time of the heartbeat, and the time of the next ping
   * if a pong arrived now.
   */
  function schedule(heartbeat: Heartbeat, nowMs: number): void {
    const slot = Math.max(nextSlot, slotOf(Math.min(heartbeat.dueAtMs, nowMs + intervalMs)))
    const heartbeats = slots.get(slot)
    if (heartbeats === undefined) slots.set(slot, [heartbeat])
    else heartbeats.push(heartbeat)
  }

  function collectDue(): void {
    for (const nowSlot = Math.floor(performance.now() / slotMs); nextSlot <= nowSlot; nextSlot++) {
      const due = slots.get(nextSlot)
      slots.delete(nextSlot)
      if (due !== undefined) backlog = backlog.length === 0 ? due : [...backlog, ...due]
    }
  }

  function checkDue(): void {
    collectDue()
    const due = backlog.splice(0, maxChecksPerTurn)
    const pinged: EngineSocket[] = []
    for (const heartbeat of due) check(heartbeat, pinged)
    writer.ping(pinged)
    if (backlog.length > 0) setImmediate(checkDue)
  }

  function check(heartbeat: Heartbeat, pinged: EngineSocket[]): void {
    const { connection } = heartbeat
    if (connection === null) return
    const nowMs = performance.now()
    if (heartbeat.dueAtMs <= nowMs) {
      const internals = internalsOf(connection)
      if (heartbeat.isAwaited) return internals.onClose('ping timeout')
      heartbeat.isAwaited = true
      heartbeat.dueAtMs = nowMs + timeoutMs
      internals.hasRefreshedPingTimeout = false
      internals.pingTimeoutTimer = heartbeat
      pinged.push(connection)
    }
    schedule(heartbeat, nowMs)
  }

  // The check runs in `setImmediate`, so that pongs which arrived while the event loop was blocked are read first.
  const timer = setInterval(() => setImmediate(checkDue), slotMs).unref()

  // All connections share this function. Engine.IO calls it with the connection as `this`.
  function onClose(this: EngineSocket): void {
    const { pingIntervalTimer } = internalsOf(this)
    if (pingIntervalTimer instanceof Heartbeat) pingIntervalTimer.connection = null
  }

  return {
    /** Takes over the heartbeats of a new connection from Engine.IO. */
    add(connection: EngineSocket): void {
      if (!hasFastPath) return
      const internals = internalsOf(connection)
      clearTimeout(internals.pingIntervalTimer as NodeJS.Timeout)
      const heartbeat = new Heartbeat(connection)
      internals.pingIntervalTimer = heartbeat
      schedule(heartbeat, performance.now())
      connection.on('close', onClose)
    },
    stop: () => clearInterval(timer),
  }
}

function internalsOf(connection: EngineSocket): HeartbeatInternals {
  return connection as unknown as HeartbeatInternals
}
