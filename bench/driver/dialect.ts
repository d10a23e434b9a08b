import type { Connection, ConnectionEvents, Endpoint } from './connection.ts'
import type { AckReport } from './acks.ts'
import type { Tally } from './tally.ts'

const dialectNames = ['app', 'socketio', 'raw', 'unnumbered', 'nats', 'nchan'] as const
export type DialectName = (typeof dialectNames)[number]

export interface DialectOptions {
  port: number
  tally: Tally
  /** The handshake's `auth`, where the dialect has one. */
  auth: Record<string, unknown> | null
}

/** How to get in, how to say something, and how to tell what was said, on one kind of server. */
export interface Dialect extends Pick<ConnectionEvents, 'onUpgraded' | 'onFrame'> {
  endpoint: Endpoint
  /** The finished frame of one message. */
  encode: (id: number, text: string, createdTime: number) => Buffer
  /** Undefined where the server does not acknowledge. */
  acks?: { begin: () => void; report: (sent: number) => AckReport; pending: () => number }
  onClose?: (connection: Connection) => void
}
