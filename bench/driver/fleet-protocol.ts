import type { AckReport } from './acks.ts'
import type { DialectName } from './dialect.ts'
import type { Burst, TallyReport } from './tally.ts'

export interface ConnectOrder {
  count: number
  concurrency?: number
}

export interface BurstOrder extends Burst {
  /** Whether this fleet's own connections send the burst; otherwise it only receives it. */
  send: boolean
  /** Never sleeps meanwhile (`vigil.ts`). */
  awake: boolean
  senders: number
  textCharacters: number
}

export interface FinishOrder {
  deadlineMs: number
}

export interface BurstReport extends TallyReport {
  acks: AckReport | null
  /** How much later than due the sender itself was at worst: the load's own fault, but counted in the latency. */
  worstSendDelayMs: number
  cpuMs: number
  /** Without the turns in which it only looked. */
  busyMs: number
  wallMs: number
  closedConnections: number
}

/** What the harness asks of a fleet, and what it answers. */
export interface FleetCalls {
  setup: { order: { dialect: DialectName; port: number; auth: Record<string, unknown> | null }; answer: null }
  connect: { order: ConnectOrder; answer: { connected: number; turnedAway: number; tookMs: number } }
  begin: { order: BurstOrder; answer: null }
  finish: { order: FinishOrder; answer: BurstReport }
  keep: { order: { count: number }; answer: { connected: number } }
  pause: { order: { connection: number; paused: boolean }; answer: null }
  say: { order: { text: string }; answer: null }
  state: { order: null; answer: { open: number; closed: number } }
}
