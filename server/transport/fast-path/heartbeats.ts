import type { Socket as EngineSocket } from 'engine.io'
import type { Capabilities } from './library-internals.ts'
import { type AwaitedPong, interceptPongs } from './early-pongs.ts'
import type { SocketWriter } from './socket-writer.ts'

interface HeartbeatTimes {
  intervalMs: number
  timeoutMs: number
  /** Pings that fall due within so long leave together: the most that one may be late. */
  slotMs?: number
}

/** What is used here of Engine.IO beyond what it documents; `internals.ts` looks whether it is there. */
interface PingedInternals {
  pingIntervalTimer: unknown
  pingTimeoutTimer: unknown
  hasRefreshedPingTimeout: boolean
  onClose: (reason: 'ping timeout') => void
}

const defaultPortionMs = 250
/** More than these are not looked at in one turn of the event loop, however many fall due at once. */
const maxPortion = 512

/**
 * Pings everybody from one timer, in portions, and ends those who do not answer in time. Engine.IO has two timers for
 * each connection, and a turn of the event loop for each beat: four times the work. Its rules hold: a ping `intervalMs`
 * after the last pong, an end `timeoutMs` after a ping without one, put off once by any other packet.
 */
export function createHeartbeats(
  { sharedHeartbeats, earlyPongs }: Capabilities,
  writer: Pick<SocketWriter, 'ping'>,
  { intervalMs, timeoutMs, slotMs = defaultPortionMs }: HeartbeatTimes,
) {
  /** By the portion in which their time comes, or came before it was put off. */
  const portions = new Map<number, Beat[]>()
  let nextPortion = portionOf(performance.now())
  let backlog: Beat[] = []

  /** Stands where Engine.IO keeps its timers of a connection: it calls `refresh` for a pong, and for other packets. */
  class Beat implements AwaitedPong {
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

    onPong(): void {
      if (this.connection !== null) internalsOf(this.connection).pingTimeoutTimer = null
      this.refresh()
    }
  }

  function portionOf(atMs: number): number {
    return Math.ceil(atMs / slotMs)
  }

  /** Looked at again when it is due, and at the latest when a pong that comes now would let the next ping fall due. */
  function putOff(beat: Beat, nowMs: number): void {
    const portion = Math.max(nextPortion, portionOf(Math.min(beat.dueAtMs, nowMs + intervalMs)))
    const beats = portions.get(portion)
    if (beats === undefined) portions.set(portion, [beat])
    else beats.push(beat)
  }

  function takeDue(): void {
    for (const nowPortion = Math.floor(performance.now() / slotMs); nextPortion <= nowPortion; nextPortion++) {
      const due = portions.get(nextPortion)
      portions.delete(nextPortion)
      if (due !== undefined) backlog = backlog.length === 0 ? due : [...backlog, ...due]
    }
  }

  function serve(): void {
    takeDue()
    const portion = backlog.splice(0, maxPortion)
    const pinged: EngineSocket[] = []
    for (const beat of portion) look(beat, pinged)
    writer.ping(pinged)
    if (backlog.length > 0) setImmediate(serve)
  }

  function look(beat: Beat, pinged: EngineSocket[]): void {
    const { connection } = beat
    if (connection === null) return
    const nowMs = performance.now()
    if (beat.dueAtMs <= nowMs) {
      const internals = internalsOf(connection)
      if (beat.isAwaited) return internals.onClose('ping timeout')
      beat.isAwaited = true
      beat.dueAtMs = nowMs + timeoutMs
      internals.hasRefreshedPingTimeout = false
      internals.pingTimeoutTimer = beat
      pinged.push(connection)
    }
    putOff(beat, nowMs)
  }

  // After the event loop has been held up, the pongs that came meanwhile are read before anybody is judged.
  const timer = setInterval(() => setImmediate(serve), slotMs).unref()

  // Shared by all connections: Engine.IO calls them with the connection as `this`.
  function onClose(this: EngineSocket): void {
    const { pingIntervalTimer } = internalsOf(this)
    if (pingIntervalTimer instanceof Beat) pingIntervalTimer.connection = null
  }
  function onUpgrade(this: EngineSocket): void {
    const { pingIntervalTimer } = internalsOf(this)
    if (pingIntervalTimer instanceof Beat) interceptPongs(this, pingIntervalTimer)
  }

  return {
    /** Takes the heartbeats of a new connection over from Engine.IO. */
    add(connection: EngineSocket): void {
      if (!sharedHeartbeats || connection.protocol !== 4) return
      const internals = internalsOf(connection)
      clearTimeout(internals.pingIntervalTimer as NodeJS.Timeout)
      const beat = new Beat(connection)
      internals.pingIntervalTimer = beat
      putOff(beat, performance.now())
      connection.on('close', onClose)
      if (!earlyPongs) return
      if (connection.transport.name === 'websocket') interceptPongs(connection, beat)
      else connection.on('upgrade', onUpgrade)
    },
    stop: () => clearInterval(timer),
  }
}

function internalsOf(connection: EngineSocket): PingedInternals {
  return connection as unknown as PingedInternals
}
