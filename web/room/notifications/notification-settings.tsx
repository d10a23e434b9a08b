import { type KeyboardEvent, useId, useRef, useState, useSyncExternalStore } from 'react'
import { BellIcon } from '../list/list-icons.tsx'
import type { NotificationProblem } from './browser-notifications.ts'
import type { Notifications } from './notifications.ts'
import type { NotificationChoice } from './notifier.ts'

const choices: readonly { choice: NotificationChoice | null; label: string }[] = [
  { choice: null, label: 'Off' },
  { choice: 'mentions', label: 'Mentions of my name' },
  { choice: 'all', label: 'All messages' },
]

const problemTexts: Readonly<Record<NotificationProblem, string>> = {
  denied: 'Notifications are blocked. Allow them for this page in the browser settings.',
  unavailable: 'This browser cannot show notifications of this page.',
}

/**
 * Button and panel that turn notifications on and off. The page asks for permission only after a click. Without the
 * permission, the page shows no notifications.
 */
export function NotificationSettings({ notifications }: { notifications: Notifications }) {
  const [isOpen, setIsOpen] = useState(false)
  const { choice, problem } = useSyncExternalStore(notifications.subscribe, notifications.get)
  const button = useRef<HTMLButtonElement>(null)
  const panelId = useId()

  const toggle = () => {
    // Safari does not focus a pressed button, and the panel closes when the focus leaves it.
    button.current?.focus()
    setIsOpen(!isOpen)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.preventDefault()
    setIsOpen(false)
    button.current?.focus()
  }

  return (
    <div
      role="group"
      aria-label="Notifications"
      className="contents"
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false)
      }}
    >
      <button
        ref={button}
        type="button"
        aria-label="Notifications"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        onClick={toggle}
        data-active={choice !== null || undefined}
        className="tool-button"
      >
        <BellIcon />
      </button>
      {isOpen && (
        // A press must not take the focus from the button: that would close the panel before the click.
        <fieldset id={panelId} className="tool-panel" onMouseDown={(event) => event.preventDefault()}>
          <legend>Notify me while this tab is hidden</legend>
          {choices.map(({ choice: value, label }) => (
            <label key={label}>
              <input
                type="radio"
                name={panelId}
                checked={choice === value}
                onChange={() => void notifications.request(value)}
              />
              {label}
            </label>
          ))}
          <output>{problem && problemTexts[problem]}</output>
        </fieldset>
      )}
    </div>
  )
}
