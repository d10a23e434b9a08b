export type ConnectionStatus =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'restarting' }
  | { state: 'lost'; online: boolean; retryAtMs: number | null }

/** How one of the page's two connections is; `retryAtMs` is `null` while an attempt is under way. */
export type LinkState = { readonly restarting: boolean } & (
  | { readonly phase: 'connecting' | 'live' }
  | { readonly phase: 'lost'; readonly retryAtMs: number | null }
)

export const initialStatus: ConnectionStatus = { state: 'connecting' }
const live: ConnectionStatus = { state: 'live' }
const restarting: ConnectionStatus = { state: 'restarting' }

/** The page is live only when both of its connections are. */
export function combineStatus(messaging: LinkState, presence: LinkState, online: boolean): ConnectionStatus {
  if (messaging.restarting || presence.restarting) return restarting
  const worse =
    messaging.phase === 'live' || (messaging.phase === 'connecting' && presence.phase === 'lost') ? presence : messaging
  if (worse.phase === 'live') return live
  return worse.phase === 'lost' ? { state: 'lost', online, retryAtMs: worse.retryAtMs } : initialStatus
}
