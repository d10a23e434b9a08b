import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/message-text.ts'
import { canSendNow } from '../../connection/connection-status.ts'
import { useConnectionStatus, useIdentityNotice, useSender } from '../../connection/hooks.ts'
import { findMessage, maxOutboxMessages, type OutboxMessage } from '../../connection/send/sender.ts'
import { useSecondsUntil } from '../../ui/seconds-until.ts'
import { charactersLeft, tooManyCharacters } from './text-limit.ts'
import { words } from './texts.ts'

/** What keeps Send from sending, as far as it can be read off the fields. */
export function useSendProblem(name: string | null): { field: 'name' | 'message'; text: string } | null {
  const { draft, outbox, fieldMessageId } = useSender()
  const tooMany = tooManyCharacters(draft, maxMessageCharacters)
  if (tooMany !== null) return { field: 'message', text: words.tooLong(tooMany) }
  const nameTooMany = name === null ? null : tooManyCharacters(name, maxNameCharacters)
  if (nameTooMany !== null) return { field: 'name', text: words.nameTooLong(nameTooMany) }
  const full = outbox.length >= maxOutboxMessages && fieldMessageId === null && !isBlank(draft)
  return full ? { field: 'message', text: words.full } : null
}

function aboutField(message: OutboxMessage | undefined, live: boolean): string {
  switch (message?.state.kind) {
    case undefined:
      return ''
    case 'queued':
    case 'sending':
      return live ? words.sending : words.noConnection
    case 'held':
      return words.heldInField
    case 'paused':
    case 'refused':
      return message.state.reason
  }
}

interface SendNoticeProps {
  id: string
  problem: string | null
}

/** One line under the composer. Its room is always kept, so that nothing jumps when it has something to say. */
export function SendNotice({ id, problem }: SendNoticeProps) {
  const sender = useSender()
  const live = canSendNow(useConnectionStatus())
  const identityNotice = useIdentityNotice()
  const message = findMessage(sender, sender.fieldMessageId)
  const left = charactersLeft(sender.draft, maxMessageCharacters)
  const seconds = useSecondsUntil(message?.state.kind === 'paused' ? message.state.retryAtMs : null)
  const bad = problem !== null || message?.state.kind === 'refused'
  const identityText = identityNotice === null ? '' : words.identity[identityNotice]
  const text = [identityText, problem ?? aboutField(message, live)].filter(Boolean).join(' ')
  const late = problem === null && live && message?.state.kind === 'sending'

  return (
    <div className="composer-notice">
      <p className={bad ? 'font-medium text-danger' : ''}>
        <output id={id} className={late ? 'appear-late' : ''}>
          {text}
        </output>
        {seconds > 0 && problem === null && <span className="tabular-nums"> {words.retry(seconds)}</span>}
      </p>
      {left !== null && (
        <p className={`shrink-0 tabular-nums ${left === 0 ? 'font-semibold text-danger' : ''}`}>
          {words.charactersLeft(left)}
        </p>
      )}
    </div>
  )
}
