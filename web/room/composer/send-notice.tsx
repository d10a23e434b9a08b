import { maxMessageCharacters } from '../../../contract/limits.ts'
import { useConnectionStatus, useDraft, useIdentityNotice, useSendState } from '../../connection/hooks.ts'
import type { SendState } from '../../connection/sending/send-state.ts'
import { useSecondsUntil } from '../../ui/seconds-until.ts'
import { charactersLeft } from './text-limit.ts'

function aboutSending(sending: SendState, connected: boolean): string {
  switch (sending.state) {
    case 'idle':
      return ''
    case 'sending':
      return connected ? 'On its way …' : 'It will be sent as soon as the connection is back.'
    case 'waiting':
    case 'refused':
      return sending.reason
  }
}

interface SendNoticeProps {
  id: string
  refusedInput: string | null
}

/** One line under the composer. Its room is always kept, so that nothing jumps when it has something to say. */
export function SendNotice({ id, refusedInput }: SendNoticeProps) {
  const sending = useSendState()
  const status = useConnectionStatus()
  const identityNotice = useIdentityNotice()
  const left = charactersLeft(useDraft(), maxMessageCharacters)
  const seconds = useSecondsUntil(sending.state === 'waiting' ? sending.retryAtMs : null)
  const bad = refusedInput !== null || sending.state === 'refused'
  const text = refusedInput ?? (aboutSending(sending, status.state === 'live') || identityNotice || '')
  const late = sending.state === 'sending' && refusedInput === null

  return (
    <div className="composer-notice flex -mt-1 min-h-5 items-start justify-between gap-4 text-xs leading-5 text-ink-soft">
      <p className={bad ? 'font-medium text-danger' : ''}>
        <output id={id} className={late ? 'appear-late' : ''}>
          {text}
        </output>
        {seconds > 0 && <span className="tabular-nums"> Sent again in {seconds} s.</span>}
      </p>
      {left !== null && (
        <p className={`shrink-0 tabular-nums ${left === 0 ? 'font-semibold text-danger' : ''}`}>
          {left} {left === 1 ? 'character' : 'characters'} left
        </p>
      )}
    </div>
  )
}
