/**
 * State of the page's connection to the room. `lost`: a connection broke or could not be opened. `offline`: the browser
 * reports no network. `retryAtMs` is on the monotonic clock (`Page.elapsedMs`). `banned`: the server rejects the page
 * until `endsAtMs`, a wall-clock time (`null` if the ban has no end), and gives the reason in `message`.
 */
export type ConnectionStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'lost'; readonly retryAtMs: number | null }
  | { readonly kind: 'offline'; readonly retryAtMs: number | null }
  | Banned

interface Banned {
  readonly kind: 'banned'
  readonly message: string
  readonly endsAtMs: number | null
}

/**
 * State of one of the page's two connections. `retryAtMs` is `null` during an attempt. `isConfirmed` is false from the
 * browser's 'offline' event until the next ping or connect.
 */
export type LinkState = { readonly isRestarting: boolean } & (
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly isConfirmed: boolean }
  | { readonly kind: 'lost'; readonly retryAtMs: number | null }
  | Banned
)

/** Returns whether both connections are live, so that no message waits for a connection. */
export const canSendNow = ({ kind }: ConnectionStatus) => kind === 'live'

export const initialStatus: ConnectionStatus = { kind: 'connecting' }
const live: ConnectionStatus = { kind: 'live' }
const restarting: ConnectionStatus = { kind: 'restarting' }

const isConfirmed = (link: LinkState) => link.kind === 'live' && link.isConfirmed

/**
 * Returns the status of the page: live only when both connections are live. In an offline browser, the page is offline
 * unless both connections are confirmed, because a server on the same machine needs no network. A ban of the message
 * connection takes precedence.
 */
export function combineStatus(messaging: LinkState, presence: LinkState, isOnline: boolean): ConnectionStatus {
  const worse =
    messaging.kind === 'live' || (messaging.kind === 'connecting' && presence.kind === 'lost') ? presence : messaging
  if (worse.kind === 'banned') return { kind: 'banned', message: worse.message, endsAtMs: worse.endsAtMs }
  const retryAtMs = worse.kind === 'lost' ? worse.retryAtMs : null
  if (!isOnline && !(isConfirmed(messaging) && isConfirmed(presence))) return { kind: 'offline', retryAtMs }
  if (messaging.isRestarting || presence.isRestarting) return restarting
  if (worse.kind === 'live') return live
  return worse.kind === 'lost' ? { kind: 'lost', retryAtMs } : initialStatus
}
