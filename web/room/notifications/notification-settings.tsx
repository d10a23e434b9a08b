import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { useRoomConnection } from '../../connection/room-connection-context.ts'
import { BellIcon } from '../list/list-icons.tsx'
import { createMentionMatcher } from '../entry/mentions.ts'
import { useReadingMemory } from '../reading/reading-memory.ts'
import { createNotificationDisplay, requestNotifications } from './browser-notifications.ts'
import { createNotifier, type NotificationChoice } from './notifier.ts'
import { choiceKey, storeChoice, storedChoice } from './stored-choice.ts'

const choices: readonly { choice: NotificationChoice | null; label: string }[] = [
  { choice: null, label: 'Off' },
  { choice: 'mentions', label: 'Mentions of my name' },
  { choice: 'all', label: 'All messages' },
]

const isPageHidden = () => document.visibilityState === 'hidden'

/** Returns the current choice, and a function that changes it. A notifier survives a change of screen. */
function useNotifier() {
  const { messages, identity, anonymousName } = useRoomConnection()
  const { notifier } = useReadingMemory()
  const current = useSyncExternalStore(notifier.subscribe, notifier.get)
  const start = useCallback(
    (choice: NotificationChoice | null) => {
      notifier.get()?.stop()
      const mentionMatcher = () => createMentionMatcher(identity.get(), anonymousName.get())
      const options = { messages, mentionMatcher, isHidden: isPageHidden }
      notifier.set(choice && createNotifier({ ...options, choice, ...createNotificationDisplay() }))
    },
    [messages, identity, anonymousName, notifier],
  )

  useEffect(() => {
    if (notifier.get() === null) start(storedChoice())
    // Another tab has changed the stored choice.
    const onStorage = ({ key }: StorageEvent) => {
      if (key === choiceKey) start(storedChoice())
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [notifier, start])

  const choose = (choice: NotificationChoice | null) => {
    storeChoice(choice)
    start(choice)
  }
  return { choice: current?.choice ?? null, choose }
}

/**
 * Button and panel that turn notifications on and off. The page asks for permission and shows notifications only after
 * a click.
 */
export function NotificationSettings() {
  const [isOpen, setIsOpen] = useState(false)
  const [isDenied, setIsDenied] = useState(false)
  const { choice, choose } = useNotifier()
  const button = useRef<HTMLButtonElement>(null)
  const panelId = useId()

  const toggle = () => {
    // Safari does not focus a pressed button, and the panel closes when the focus leaves it.
    button.current?.focus()
    setIsOpen(!isOpen)
    setIsDenied(false)
  }
  const request = async (wanted: NotificationChoice | null) => {
    const isAllowed = wanted === null || (await requestNotifications())
    setIsDenied(!isAllowed)
    choose(isAllowed ? wanted : null)
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
              <input type="radio" name={panelId} checked={choice === value} onChange={() => void request(value)} />
              {label}
            </label>
          ))}
          <output>{isDenied && 'Notifications are blocked. Allow them for this page in the browser settings.'}</output>
        </fieldset>
      )}
    </div>
  )
}
