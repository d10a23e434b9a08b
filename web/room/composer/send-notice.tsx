import type { ReactNode } from 'react'
import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/message-text.ts'
import { canSendNow } from '../../connection/connection-status.ts'
import { useConnectionStatus, useIdentityNotice, useSender, useUsername } from '../../connection/hooks.ts'
import { earlierName } from '../../connection/send/outbox-rows.ts'
import { fieldMessage, maxOutboxMessages, type OutboxMessage } from '../../connection/send/sender.ts'
import { useSecondsUntil } from '../../ui/seconds-until.ts'
import { isFieldFull, lengthOverLimit, remainingCharacters } from './text-limit.ts'
import { texts } from './texts.ts'

/** Returns the field and the reason if the message or the name is too long, or the outbox is full; `null` otherwise. */
export function useSendProblem(name: string | null): { field: 'name' | 'message'; text: string } | null {
  const messageLength = useSender(({ draft }) => lengthOverLimit(draft, maxMessageCharacters))
  const isCutOff = useSender(({ draft }) => isFieldFull(draft))
  const isQueueFull = useSender(
    ({ draft, outbox, fieldMessageId }) =>
      outbox.length >= maxOutboxMessages && fieldMessageId === null && !isBlank(draft),
  )
  if (messageLength !== null) {
    return { field: 'message', text: (isCutOff ? texts.cutOff : texts.tooLong)(messageLength) }
  }
  const nameLength = name === null ? null : lengthOverLimit(name, maxNameCharacters)
  if (nameLength !== null) return { field: 'name', text: texts.nameTooLong(nameLength) }
  return isQueueFull ? { field: 'message', text: texts.queueFull } : null
}

function fieldStatusText(message: OutboxMessage, canSend: boolean): string {
  switch (message.state.kind) {
    case 'queued':
    case 'sending':
      return canSend ? texts.sending : texts.noConnection
    case 'held':
      return texts.heldInField
    case 'paused':
    case 'refused':
      return message.state.reason
  }
}

/**
 * Returns the status of the message that the field shows. If the message is pending and the user has another name now,
 * the name of the message precedes the status.
 */
function fieldNotice(message: OutboxMessage | undefined, canSend: boolean, username: string): string {
  if (message === undefined) return ''
  const name = earlierName(message, username)
  const status = fieldStatusText(message, canSend)
  return name === null ? status : `${texts.writtenAs(name)}. ${status}`
}

interface SendNoticeProps {
  id: string
  problem: string | null
  children: ReactNode
}

/** Status line below the composer. Without text, it has the height of one line, so that a short text shifts no layout. */
export function SendNotice({ id, problem, children }: SendNoticeProps) {
  const message = useSender(fieldMessage)
  const remaining = useSender(({ draft }) => remainingCharacters(draft, maxMessageCharacters))
  const canSend = canSendNow(useConnectionStatus())
  const username = useUsername()
  const identityNotice = useIdentityNotice()
  const seconds = useSecondsUntil(message?.state.kind === 'paused' ? message.state.retryAtMs : null)
  const isError = problem !== null || message?.state.kind === 'refused'
  const identityText = identityNotice === null ? '' : texts.identity[identityNotice]
  const text = [identityText, problem ?? fieldNotice(message, canSend, username)].filter(Boolean).join(' ')
  const isDelayed = problem === null && canSend && message?.state.kind === 'sending'

  return (
    <div className="composer-notice">
      {children}
      <p className={isError ? 'font-medium text-danger' : ''}>
        <output id={id} className={isDelayed ? 'appear-late' : ''}>
          {text}
        </output>{' '}
        {seconds > 0 && problem === null && (
          <span className="whitespace-nowrap tabular-nums">{texts.retry(seconds)}</span>
        )}
      </p>
      {remaining !== null && (
        <p className={`shrink-0 tabular-nums ${remaining === 0 ? 'font-semibold text-danger' : ''}`}>
          {texts.charactersLeft(remaining)}
        </p>
      )}
    </div>
  )
}
