import type { DialectName } from '../driver/dialect.ts'

export const peerIds = [
  'app',
  'socketio',
  'socketio-best',
  'ws',
  'uws',
  'bun',
  'bun-best',
  'deno',
  'nats',
  'nchan',
  'null',
] as const
export type PeerId = (typeof peerIds)[number]

export interface Launch {
  command: string[]
  env: Record<string, string>
  /** Understands SIGUSR2 as "collect garbage now". */
  collects: boolean
}

export interface Peer {
  id: PeerId
  label: string
  setting: string
  /** How messages that come together are put together; part of the result, because waiting makes batches cheap. */
  batching: string
  /** What can only be said once it runs here, such as a version. */
  detail?: () => string
  dialect: DialectName
  auth: Record<string, unknown> | null
  debianPackages: string[]
  /** Prepares what the server needs in `folder` and says how to start it; throws `unavailable` where it cannot run. */
  launch: (port: number, folder: string) => Launch
}

const unavailableName = 'Unavailable'

/** Not a failure of the run: the results say why a peer is missing. */
export function unavailable(reason: string): Error {
  const error = new Error(reason)
  error.name = unavailableName
  return error
}

export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === unavailableName
}
