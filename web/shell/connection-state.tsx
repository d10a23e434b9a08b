import type { ConnectionStatus } from '../connection/connection-status.ts'
import { useConnectionStatus, useRoomActions } from '../connection/hooks.ts'
import { useSecondsUntil } from '../ui/seconds-until.ts'

function statusText(status: ConnectionStatus): string {
  switch (status.kind) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return 'Live'
    case 'restarting':
      return 'Restarting'
    case 'lost':
      return status.online ? 'Reconnecting' : 'Offline'
  }
}

/** One word in the navigation bar; a region of its own, so that a change of it is told apart from the talk. */
export function ConnectionPill() {
  const status = useConnectionStatus()
  return (
    <output data-connection={status.kind} className="connection-pill">
      <span>{statusText(status)}</span>
    </output>
  )
}

function statusExplanation(status: Exclude<ConnectionStatus, { kind: 'connecting' } | { kind: 'live' }>): string {
  if (status.kind === 'restarting') return 'The server is restarting.'
  return status.online ? 'The connection is lost.' : 'You are offline.'
}

/**
 * Says what is going on, and offers to try at once, while the room cannot be reached. It lies beside the list's title,
 * over the list where it needs more room, and moves nothing.
 */
export function ConnectionBanner() {
  const status = useConnectionStatus()
  const { retryNow } = useRoomActions()
  const seconds = useSecondsUntil(status.kind === 'lost' ? status.retryAtMs : null)
  if (status.kind === 'connecting' || status.kind === 'live') return null
  return (
    <div className="connection-banner">
      <p>
        {statusExplanation(status)} <span className="connection-banner-hint">What you write is kept.</span>
        {seconds > 0 && <span className="tabular-nums"> Next try in {seconds} s.</span>}
      </p>
      {status.kind === 'lost' && (
        <button type="button" onClick={retryNow}>
          Try now
        </button>
      )}
    </div>
  )
}
