import { useEffect } from 'react'
import { focusMessageField } from '../../shell/route-focus.tsx'

/** Elements that use typed characters themselves. */
const typingTargets = 'input, textarea, select, [contenteditable], dialog'

/** Returns whether a key types a character. Space does not count, because it scrolls the page and presses buttons. */
const isCharacter = (key: string) => key !== ' ' && [...key].length === 1

/**
 * Moves the focus to the message field when the user types, or presses Escape in the room, outside of a field and a
 * dialog. The browser then inserts a typed character into the field.
 */
export function useTypingAnywhere() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (!(event.target instanceof Element) || event.target.closest(typingTargets) !== null) return
      const isEscapeInRoom = event.key === 'Escape' && event.target.closest('.room') !== null
      if (isEscapeInRoom || isCharacter(event.key)) focusMessageField()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
