import { type FocusEvent, type MouseEvent, useRef, useState } from 'react'
import { entryAt, type MessageEntry, type MessageList } from '../../connection/receive/message-buffer.ts'
import { closestKey, entryElement } from '../list/list-geometry.ts'
import { mentionSender } from './entry-actions.ts'

function messageAt(list: MessageList, key: number | null): MessageEntry | null {
  const entry = key === null ? undefined : entryAt(list, key)
  return entry?.kind === 'message' ? entry : null
}

/**
 * Returns the selected entry, and handlers for an element around the list and the toolbar of the entry. A click, a tap
 * or the keyboard selects the entry that gets the focus. The entry stays selected while the focus is inside the
 * element. `skipSelection` lets an entry get the focus without being selected, until a click or a key selects it.
 */
export function useSelectedEntry(list: MessageList) {
  const [selectedKey, setSelectedKey] = useState<number | null>(null)
  const skippedKey = useRef<number | null>(null)
  const select = (key: number | null) => {
    skippedKey.current = null
    if (key !== null) setSelectedKey(key)
  }
  return {
    selected: messageAt(list, selectedKey),
    skipSelection: (key: number) => {
      skippedKey.current = key
      setSelectedKey(null)
    },
    handlers: {
      onFocus: ({ target }: FocusEvent) => {
        const key = closestKey(target)
        if (key !== skippedKey.current) select(key)
      },
      onKeyDownCapture: () => select(closestKey(document.activeElement)),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setSelectedKey(null)
      },
      onClick: ({ target, currentTarget, detail }: MouseEvent) => {
        if (!(target instanceof Element) || document.getSelection()?.isCollapsed === false) return
        const key = closestKey(target)
        const message = messageAt(list, key)
        if (message !== null && detail === 1 && target.closest('.entry-sender') !== null) mentionSender(message)
        else if (key !== null) {
          select(key)
          // Not every browser moves the focus on a tap.
          if (key !== closestKey(document.activeElement))
            entryElement(currentTarget, key)?.focus({ preventScroll: true })
        }
      },
    },
  }
}
