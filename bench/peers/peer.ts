import type { DialectName } from '../driver/dialects/dialect.ts'

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
  /** True if the server runs a garbage collection on SIGUSR2. */
  canCollectGarbage: boolean
}

export interface Peer {
  id: PeerId
  label: string
  configuration: string
  /** Description of how the server batches messages. The report shows it, because batching trades latency for CPU. */
  batching: string
  /** Returns details that are known only on this machine, such as a version. */
  detail?: () => string
  dialect: DialectName
  auth: Record<string, unknown> | null
  debianPackages: string[]
  /**
   * Writes the server's files into `folder` and returns its launch command. Throws an `unavailable` error if the
   * server cannot run on this machine.
   */
  launch: (port: number, folder: string) => Launch
}

const unavailableName = 'Unavailable'

/** Returns an error that skips the peer without failing the run. The report gives the reason. */
export function unavailable(reason: string): Error {
  const error = new Error(reason)
  error.name = unavailableName
  return error
}

export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === unavailableName
}
