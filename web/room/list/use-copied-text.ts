import { useEffect } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { copiedText } from './copied-text.ts'

const isField = (target: EventTarget | null) => target instanceof Element && target.matches('input, textarea')

/**
 * Writes the text of a selection that includes entries, for a copy and for a drag. The text has one line per entry, and
 * includes the messages that are not in the document.
 */
export function useCopiedText(list: MessageList): void {
  useEffect(() => {
    const write = (target: EventTarget | null, data: DataTransfer | null) => {
      const text = isField(target) || data === null ? null : copiedText(list)
      if (text === null) return false
      data?.clearData()
      data?.setData('text/plain', text)
      return true
    }
    const copy = (event: ClipboardEvent) => {
      if (write(event.target, event.clipboardData)) event.preventDefault()
    }
    // A drag of a link or an image is not a drag of the selection.
    const drag = (event: DragEvent) => event.target instanceof Text && write(event.target, event.dataTransfer)
    document.addEventListener('copy', copy)
    document.addEventListener('dragstart', drag)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('dragstart', drag)
    }
  }, [list])
}
