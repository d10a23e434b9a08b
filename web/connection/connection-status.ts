export type ConnectionStatus =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'restarting' }
  | { state: 'lost'; online: boolean; retryAtMs: number | null }

export const initialStatus: ConnectionStatus = { state: 'connecting' }
