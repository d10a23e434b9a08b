import type { ConnectionStatus } from '../connection/connection-status.ts'
import { useConnectionStatus, useRoomActions } from '../connection/hooks.ts'
import { timeText } from '../room/entry/time-format.ts'
import { useSecondsUntil } from '../ui/seconds-until.ts'
import { passFocusOn } from './route-focus.tsx'

const labels: Record<ConnectionStatus['kind'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  restarting: 'Restarting',
  lost: 'Reconnecting',
  offline: 'Offline',
  banned: 'Banned',
}

const explanations = {
  restarting: 'The server is restarting.',
  lost: 'The connection is lost.',
  offline: 'You are offline.',
}

/**
 * Connection label in the navigation bar. It is a live region of its own, so that screen readers announce it separately
 * from messages.
 */
export function ConnectionPill() {
  const { kind } = useConnectionStatus()
  return (
    <output data-connection={kind} className="connection-pill">
      <span>{labels[kind]}</span>
    </output>
  )
}

/**
 * Explains why the room is unreachable. Offers a retry if the connection is lost or the browser is offline. The banner
 * is beside the title of the list or over the list, and causes no layout shift.
 */
export function ConnectionBanner() {
  const status = useConnectionStatus()
  const { retryNow } = useRoomActions()
  const seconds = useSecondsUntil('retryAtMs' in status ? status.retryAtMs : null)
  if (status.kind === 'connecting' || status.kind === 'live') return null
  if (status.kind === 'banned') {
    const { message, endsAtMs } = status
    return (
      <div className="connection-banner">
        <p>
          {message} {endsAtMs !== null && `The ban ends ${timeText(endsAtMs)}.`}
        </p>
      </div>
    )
  }
  return (
    <div className="connection-banner">
      <p>
        {explanations[status.kind]} <span className="connection-banner-hint">Your text is kept.</span>{' '}
        {seconds > 0 && (
          <span className="tabular-nums">
            Next try in <span className="whitespace-nowrap">{seconds} s.</span>
          </span>
        )}
      </p>
      {'retryAtMs' in status && (
        <button type="button" ref={passFocusOn} onClick={retryNow}>
          Try now
        </button>
      )}
    </div>
  )
}
