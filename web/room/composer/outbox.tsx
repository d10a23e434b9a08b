import { canSendNow } from '../../connection/connection-status.ts'
import {
  useAccount,
  useAnonymousName,
  useConnectionStatus,
  useRoomActions,
  useSender,
  useUsername,
} from '../../connection/hooks.ts'
import { canTakeBack, earlierName, outboxRows } from '../../connection/send/outbox-rows.ts'
import { accountOf, type OutboxMessage } from '../../connection/send/sender.ts'
import { passFocusOn } from '../../shell/route-focus.tsx'
import { useSecondsUntil } from '../../ui/seconds-until.ts'
import { excerpt, rowStatusText, useOutboxAnnouncement } from './outbox-announcement.ts'
import { texts } from './texts.ts'

interface RowButtonProps {
  label: string
  text: string
  onPress: () => void
}

function RowButton({ label, text, onPress }: RowButtonProps) {
  return (
    <button
      type="button"
      ref={passFocusOn}
      className="outbox-button"
      aria-label={`${label}: ${excerpt(text)}`}
      onClick={onPress}
    >
      {label}
    </button>
  )
}

interface RowProps {
  message: OutboxMessage
  canSend: boolean
  onDismiss: () => void
  /** Runs after an action, which may have removed the row together with the keyboard focus. */
  onDone: () => void
}

function Row({ message, canSend, onDismiss, onDone }: RowProps) {
  const { takeBack, sendHeld, moveToField } = useRoomActions()
  const { id, state } = message
  const account = useAccount()
  const [anonymousName] = useAnonymousName()
  const username = useUsername()
  const author = accountOf(message)
  // The button of a held message of another account names the new author. The user can thus see under which name the
  // message would be sent.
  const isOfOther = state.kind === 'held' && author !== null && author !== account
  const writtenAs = isOfOther ? author : earlierName(message, username)
  const { message: text } = message.payload
  const seconds = useSecondsUntil(state.kind === 'paused' ? state.retryAtMs : null)
  const act = (action: (id: string) => void) => () => {
    action(id)
    onDone()
  }
  const needsAction = state.kind === 'held' || state.kind === 'refused'
  return (
    <li className="outbox-row" data-state={state.kind}>
      <p className="outbox-text">
        <bdi>{text}</bdi>
      </p>
      <p className="outbox-state">
        {writtenAs !== null && `${texts.writtenAs(writtenAs)}. `}
        {rowStatusText(message, canSend)}{' '}
        {seconds > 0 && <span className="whitespace-nowrap tabular-nums">{texts.retry(seconds)}</span>}
      </p>
      <p className="outbox-actions">
        {/* 'Dismiss' comes first, so that a double click on 'Take back' cannot press it and discard the text. */}
        {needsAction && <RowButton label={texts.dismiss} text={text} onPress={act(onDismiss)} />}
        {canTakeBack(message) && <RowButton label={texts.takeBack} text={text} onPress={act(takeBack)} />}
        {state.kind === 'held' && (
          <RowButton
            label={isOfOther ? texts.sendAs(texts.author(account, anonymousName)) : texts.send}
            text={text}
            onPress={act(sendHeld)}
          />
        )}
        {needsAction && <RowButton label={texts.edit} text={text} onPress={act(moveToField)} />}
      </p>
    </li>
  )
}

/** Last dismissed text with an undo button. 'Dismiss' is next to 'Send' and is easily pressed by mistake. */
function Undo({ text, onPress }: { text: string; onPress: () => void }) {
  return (
    <p className="outbox-undo">
      <output className="outbox-text">
        {texts.dismissed}: <bdi>{text}</bdi>
      </output>
      <RowButton label={texts.undo} text={text} onPress={onPress} />
    </p>
  )
}

interface OutboxProps {
  /** Messages that were dismissed, and not restored, since the last submit. */
  dismissed: readonly OutboxMessage[]
  setDismissed: (dismissed: readonly OutboxMessage[]) => void
  onDone: () => void
}

/**
 * Rows above the field: the pending, held and rejected messages of the outbox, in order, except the message that the
 * field shows.
 */
export function Outbox({ dismissed, setDismissed, onDone }: OutboxProps) {
  const outbox = useSender((sender) => sender.outbox)
  const fieldMessageId = useSender((sender) => sender.fieldMessageId)
  const rows = outboxRows({ outbox, fieldMessageId })
  const { dismiss, undoDismiss } = useRoomActions()
  const lastDismissed = dismissed.at(-1)
  const canSend = canSendNow(useConnectionStatus())
  const announcement = useOutboxAnnouncement({ outbox, fieldMessageId }, canSend)
  return (
    <>
      {rows.length > 0 && (
        <div className="outbox">
          <ul aria-label={texts.outbox}>
            {rows.map((message) => (
              <Row
                key={message.id}
                message={message}
                canSend={canSend}
                onDismiss={() => {
                  dismiss(message.id)
                  setDismissed([...dismissed, message])
                }}
                onDone={onDone}
              />
            ))}
          </ul>
        </div>
      )}
      {lastDismissed !== undefined && (
        <Undo
          text={lastDismissed.payload.message}
          onPress={() => {
            undoDismiss(lastDismissed)
            setDismissed(dismissed.slice(0, -1))
            onDone()
          }}
        />
      )}
      <output className="sr-only">{announcement}</output>
    </>
  )
}
