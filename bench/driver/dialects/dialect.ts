import type { ConnectionEvents, Endpoint } from '../connection.ts'
import type { AckReport } from '../acks.ts'
import type { DeliveryCounter } from '../delivery-counter.ts'

const dialectNames = ['app', 'socketio', 'raw', 'counted', 'nats', 'nchan'] as const
export type DialectName = (typeof dialectNames)[number]

export interface DialectOptions {
  port: number
  deliveries: DeliveryCounter
  /** `auth` of the Socket.IO handshake, for dialects that have one. */
  auth: Record<string, unknown> | null
}

/** Adapter for the wire protocol of one kind of server: connects, encodes messages and recognises deliveries. */
export interface Dialect extends Pick<ConnectionEvents, 'onUpgraded' | 'onFrame'> {
  endpoint: Endpoint
  /** Returns the complete WebSocket frame of one message. */
  encode: (id: number, text: string, createdTime: number) => Buffer
  /** Tracker of the server's acks; undefined if the server does not acknowledge messages. */
  acks?: { reset: () => void; report: (sent: number) => AckReport; pendingCount: () => number }
}
