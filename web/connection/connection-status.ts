/** Times are the page's elapsed time, not the clock's. */
export type ConnectionStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'lost'; readonly online: boolean; readonly retryAtMs: number | null }

/**
 * How one of the page's two connections is; `retryAtMs` is `null` while an attempt is under way. `proven` is false from
 * the moment the browser says that it is offline until something is heard again.
 */
export type LinkState = { readonly isRestarting: boolean } & (
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly isConfirmed: boolean }
  | { readonly kind: 'lost'; readonly retryAtMs: number | null }
)

/** Whether what is sent now leaves at once; what waits says otherwise. */
export function canSendNow({ kind }: ConnectionStatus): boolean {
  switch (kind) {
    case 'live':
      return true
    case 'connecting':
    case 'restarting':
    case 'lost':
      return false
  }
}

export const initialStatus: ConnectionStatus = { kind: 'connecting' }
const live: ConnectionStatus = { kind: 'live' }
const restarting: ConnectionStatus = { kind: 'restarting' }

const isProven = (link: LinkState) => link.kind === 'live' && link.isConfirmed

/**
 * The page is live only when both of its connections are. The browser's word that it is offline counts at once, but not
 * against connections that are heard all the same: a server on this machine needs no network.
 */
export function combineStatus(messaging: LinkState, presence: LinkState, online: boolean): ConnectionStatus {
  const worse =
    messaging.kind === 'live' || (messaging.kind === 'connecting' && presence.kind === 'lost') ? presence : messaging
  const retryAtMs = worse.kind === 'lost' ? worse.retryAtMs : null
  if (!online && !(isProven(messaging) && isProven(presence))) return { kind: 'lost', online, retryAtMs }
  if (messaging.isRestarting || presence.isRestarting) return restarting
  if (worse.kind === 'live') return live
  return worse.kind === 'lost' ? { kind: 'lost', online, retryAtMs } : initialStatus
}
