import type { AckReport } from './acks.ts'
import type { DialectName } from './dialects/dialect.ts'
import type { Burst, DeliveryReport } from './delivery-counter.ts'

export interface BurstRequest extends Burst {
  /** True if this fleet sends the burst; false if it only receives it. */
  isSender: boolean
  /** True if the process must not sleep during the burst (`busy-wait.ts`). */
  shouldBusyWait: boolean
  senders: number
  textCharacters: number
}

export interface FinishRequest {
  deadlineMs: number
}

export interface BurstReport extends DeliveryReport {
  acks: AckReport | null
  /** Maximum delay of the load generator in sending a message. The latency includes this delay. */
  worstSendDelayMs: number
  cpuMs: number
  /** CPU time without the idle turns of the busy-wait loop. */
  busyMs: number
  wallMs: number
  closedConnections: number
}

/** Calls from the harness to a fleet process. */
export interface FleetCalls {
  setup: { request: { dialect: DialectName; port: number; auth: Record<string, unknown> | null }; response: null }
  connect: { request: { count: number }; response: null }
  startBurst: { request: BurstRequest; response: null }
  finishBurst: { request: FinishRequest; response: BurstReport }
  shrink: { request: { count: number }; response: null }
  pause: { request: { connection: number; isPaused: boolean }; response: null }
  sendText: { request: { text: string }; response: null }
  state: { request: null; response: { open: number; closed: number } }
}
