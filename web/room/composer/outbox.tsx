import { useEffect, useState } from 'react'
import { canSendNow } from '../../connection/connection-status.ts'
import { useConnectionStatus, useRoomActions, useSender } from '../../connection/hooks.ts'
import { canTakeBack, outboxRows } from '../../connection/send/outbox-rows.ts'
import { type OutboxMessage, wasEmitted } from '../../connection/send/sender.ts'
import { useSecondsUntil } from '../../ui/seconds-until.ts'
import { words } from './texts.ts'

/** A row that is gone by then was not worth a word. */
const announceAfterMs = 1_000
const excerptLength = 40

const excerpt = (text: string) => (text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text)

function aboutRow(message: OutboxMessage, live: boolean): string {
  switch (message.state.kind) {
    case 'queued':
      return live ? words.queued : words.noConnection
    case 'sending':
      return live ? words.sending : words.noConnection
    case 'held':
      return wasEmitted(message) ? words.heldHanded : words.held
    case 'paused':
    case 'refused':
      return message.state.reason
  }
}

interface RowButtonProps {
  label: string
  text: string
  onPress: () => void
}

function RowButton({ label, text, onPress }: RowButtonProps) {
  return (
    <button type="button" className="outbox-button" aria-label={`${label}: ${excerpt(text)}`} onClick={onPress}>
      {label}
    </button>
  )
}

interface RowProps {
  message: OutboxMessage
  live: boolean
  onDismiss: () => void
  /** The row may be gone then, and the keyboard's focus with it. */
  onDone: () => void
}

function Row({ message, live, onDismiss, onDone }: RowProps) {
  const { takeBack, sendHeld, moveToField } = useRoomActions()
  const { id, state } = message
  const { message: text } = message.payload
  const seconds = useSecondsUntil(state.kind === 'paused' ? state.retryAtMs : null)
  const act = (action: (id: string) => void) => () => {
    action(id)
    onDone()
  }
  const inHand = state.kind === 'held' || state.kind === 'refused'
  return (
    <li className="outbox-row" data-state={state.kind}>
      <p className="outbox-text">
        <bdi>{text}</bdi>
      </p>
      <p className="outbox-state">
        {aboutRow(message, live)}
        {seconds > 0 && <span className="tabular-nums"> {words.retry(seconds)}</span>}
      </p>
      <p className="outbox-actions">
        {/* Not where 'Take back' was: a second click there must not throw the text away. */}
        {inHand && <RowButton label={words.dismiss} text={text} onPress={act(onDismiss)} />}
        {canTakeBack(message) && <RowButton label={words.takeBack} text={text} onPress={act(takeBack)} />}
        {state.kind === 'held' && <RowButton label={words.send} text={text} onPress={act(sendHeld)} />}
        {inHand && (
          <RowButton
            label={state.kind === 'held' ? words.takeBack : words.edit}
            text={text}
            onPress={act(moveToField)}
          />
        )}
      </p>
    </li>
  )
}

/** The newest row that has something to say, told once it has lasted. */
function useAnnouncement(rows: readonly OutboxMessage[], live: boolean): string {
  const [announcement, setAnnouncement] = useState('')
  const last = rows.findLast(({ state }) => state.kind === 'refused') ?? rows.at(-1)
  const inHand = last?.state.kind === 'held' || last?.state.kind === 'refused'
  const text = last === undefined ? '' : excerpt(last.payload.message)
  const wanted =
    last === undefined ? '' : inHand ? words.announce.inHand(text, aboutRow(last, live)) : words.announce.waiting(text)
  useEffect(() => {
    const timer = window.setTimeout(
      () => setAnnouncement((before) => (wanted === '' && before !== '' ? words.announce.allSent : wanted)),
      announceAfterMs,
    )
    return () => window.clearTimeout(timer)
  }, [wanted])
  return announcement
}

/** The last text that was dismissed, and the way back: Dismiss stands beside Send, where a finger may miss. */
function Undo({ text, onPress }: { text: string; onPress: () => void }) {
  return (
    <p className="outbox-undo">
      <output className="outbox-text">
        {words.dismissed}: <bdi>{text}</bdi>
      </output>
      <RowButton label={words.undo} text={text} onPress={onPress} />
    </p>
  )
}

interface OutboxProps {
  /** What was dismissed since Send was last pressed. */
  dismissed: readonly OutboxMessage[]
  setDismissed: (dismissed: readonly OutboxMessage[]) => void
  onDone: () => void
}

/** What was sent and is not stored yet, in its order, above the field; each row says how it stands. */
export function Outbox({ dismissed, setDismissed, onDone }: OutboxProps) {
  const rows = outboxRows(useSender())
  const { dismiss, undoDismiss } = useRoomActions()
  const lastDismissed = dismissed.at(-1)
  const live = canSendNow(useConnectionStatus())
  const announcement = useAnnouncement(rows, live)
  return (
    <>
      {rows.length > 0 && (
        <ul className="outbox" aria-label={words.outbox}>
          {rows.map((message) => (
            <Row
              key={message.id}
              message={message}
              live={live}
              onDismiss={() => {
                dismiss(message.id)
                setDismissed([...dismissed, message])
              }}
              onDone={onDone}
            />
          ))}
        </ul>
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
