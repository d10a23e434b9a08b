import type { ConnectionStatus } from '../connection/connection-status.ts'
import { useConnectionStatus, useRoomActions } from '../connection/hooks.ts'
import { useSecondsUntil } from '../ui/seconds-until.ts'

function inWords(status: ConnectionStatus): string {
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

const dotClasses: Record<ConnectionStatus['kind'], string> = {
  connecting: 'bg-ink-soft animate-breathe',
  live: 'bg-good',
  restarting: 'bg-caution animate-breathe',
  lost: 'bg-caution animate-breathe',
}

/** One word in the navigation bar; a region of its own, so that a change of it is told apart from the talk. */
export function ConnectionPill() {
  const status = useConnectionStatus()
  return (
    <output
      data-connection={status.kind}
      className="flex items-center gap-2 rounded-full border border-line px-2.5 max-[380px]:gap-0 max-[380px]:border-0 py-1 text-xs font-medium text-ink-soft"
    >
      <span aria-hidden="true" className={`size-2 rounded-full ${dotClasses[status.kind]}`} />
      <span className="max-[380px]:sr-only">{inWords(status)}</span>
    </output>
  )
}

function explanation(status: Exclude<ConnectionStatus, { kind: 'connecting' } | { kind: 'live' }>): string {
  if (status.kind === 'restarting') return 'The server is restarting. What you write is kept and sent afterwards.'
  if (!status.online) return 'You are offline. What you write is kept.'
  return 'The connection is lost. What you write is kept.'
}

/** Says what is going on, and offers to try at once, while the room cannot be reached. */
export function ConnectionStrip() {
  const status = useConnectionStatus()
  const { retryNow } = useRoomActions()
  const seconds = useSecondsUntil(status.kind === 'lost' ? status.retryAtMs : null)
  if (status.kind === 'connecting' || status.kind === 'live') return null
  return (
    <div className="flex items-center gap-3 border-b border-line bg-caution-soft px-4 py-1.5 text-sm text-caution wide:px-5">
      <p className="min-w-0 grow py-1">
        {explanation(status)}
        {seconds > 0 && <span className="tabular-nums"> Next try in {seconds} s.</span>}
      </p>
      {status.kind === 'lost' && (
        <button
          type="button"
          onClick={retryNow}
          className="min-h-11 shrink-0 rounded-lg px-3 font-semibold underline underline-offset-4 hover:no-underline wide:min-h-8"
        >
          Try now
        </button>
      )}
    </div>
  )
}
