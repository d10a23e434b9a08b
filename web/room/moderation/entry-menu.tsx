import { type MouseEvent, useLayoutEffect, useRef, useState } from 'react'
import type { ModeratorAction } from '../../../contract/moderation.ts'
import { useRoomActions } from '../../connection/hooks.ts'
import type { MessageEntry } from '../../connection/receive/message-buffer.ts'
import { oneLine } from '../entry/one-line.ts'
import { actionResult, resultText } from './action-result.ts'
import { Modal } from './modal.tsx'

interface MenuItem {
  readonly label: string
  readonly action: ModeratorAction
  /** Text of the button that confirms an irreversible action. */
  readonly confirm?: string
}

function menuItems({ seq = 0, isRemoved }: MessageEntry): MenuItem[] {
  const removeOne: MenuItem = { label: 'Remove message', action: { type: 'remove', seqs: [seq] } }
  return [
    ...(isRemoved ? [] : [removeOne]),
    {
      label: 'Remove all messages of this sender',
      action: { type: 'remove-sender', senderOf: seq },
      confirm: 'Yes, remove all messages',
    },
    { label: 'Mute for 10 minutes', action: { type: 'mute', senderOf: seq, minutes: 10 } },
    { label: 'Mute for 1 hour', action: { type: 'mute', senderOf: seq, minutes: 60 } },
    { label: 'Mute for 24 hours', action: { type: 'mute', senderOf: seq, minutes: 1_440 } },
    { label: 'Ban for 24 hours', action: { type: 'ban', senderOf: seq, minutes: 1_440 } },
    { label: 'Ban permanently', action: { type: 'ban', senderOf: seq, minutes: null } },
  ]
}

/** Moves the focus between the items with the arrow keys, as in a menu. */
function moveFocus(items: HTMLElement, keyName: string) {
  const step = keyName === 'ArrowDown' ? 1 : keyName === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const buttons = [...items.querySelectorAll('button')]
  const index = buttons.findIndex((button) => button === document.activeElement)
  buttons[(index + step + buttons.length) % buttons.length]?.focus()
}

interface EntryMenuProps {
  entry: MessageEntry
  onClose: () => void
}

/**
 * Menu of a moderator for one message. The dialog repeats the message, so that the moderator sees which message an
 * action affects.
 */
export function EntryMenu({ entry, onClose }: EntryMenuProps) {
  const { moderate } = useRoomActions()
  const [confirmed, setConfirmed] = useState<MenuItem | null>(null)
  const menu = useRef<HTMLDivElement>(null)
  const { number, message } = entry
  const items = confirmed === null ? menuItems(entry) : [{ ...confirmed, label: confirmed.confirm ?? '' }]

  // Focus the first item after the dialog has opened, because the dialog focuses its own first button.
  useLayoutEffect(() => menu.current?.querySelector('button')?.focus(), [confirmed])

  const choose = async (item: MenuItem, { currentTarget }: MouseEvent) => {
    if (item.confirm !== undefined && confirmed === null) return setConfirmed(item)
    // The browser returns the focus to the entry or its toolbar.
    currentTarget.closest('dialog')?.close()
    actionResult.set('')
    actionResult.set(resultText(item.action, await moderate(item.action)))
  }

  return (
    <Modal title={<bdi>{message.username}</bdi>} className="entry-menu" onClose={onClose}>
      <p className="entry-menu-text">
        {number}. <bdi>{oneLine(message.message)}</bdi>
      </p>
      <div
        ref={menu}
        role="menu"
        aria-label="Moderate the message"
        className="entry-menu-items"
        tabIndex={-1}
        onKeyDown={({ currentTarget, key }) => moveFocus(currentTarget, key)}
      >
        {items.map((item) => (
          <button key={item.label} type="button" role="menuitem" onClick={(event) => void choose(item, event)}>
            {item.label}
          </button>
        ))}
        {confirmed !== null && (
          <button type="button" role="menuitem" onClick={() => setConfirmed(null)}>
            Back
          </button>
        )}
      </div>
    </Modal>
  )
}
