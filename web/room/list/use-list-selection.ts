import { useEffect, useState } from 'react'
import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { entryText } from '../entry/entry-text.ts'
import { closestKey, keyOf } from './list-geometry.ts'

/** Keys of the entries that contain the start and the end of the selection. */
type SelectedKeys = readonly number[]

const noKeys: SelectedKeys = []

function listElement(): HTMLOListElement | null {
  return document.querySelector('.message-scroller > ol')
}

function selectedKeys(): SelectedKeys {
  const selection = document.getSelection()
  if (selection === null || selection.isCollapsed) return noKeys
  return [closestKey(selection.anchorNode), closestKey(selection.focusNode)].filter((key) => key !== null)
}

/** Returns the parts of the selected text before the first and after the last rendered entry. */
function textAroundEntries(text: string, items: readonly HTMLElement[]) {
  const first = items[0]?.innerText.trim() ?? ''
  const last = items.at(-1)?.innerText.trim() ?? ''
  const from = text.indexOf(first)
  const to = text.lastIndexOf(last)
  return from < 0 || to < from
    ? { before: '', after: '' }
    : { before: text.slice(0, from), after: text.slice(to + last.length) }
}

/**
 * Returns the text of a selection that includes entries outside the document; `null` for any other selection, which the
 * browser copies itself.
 */
function selectedText(list: MessageList): string | null {
  const selection = document.getSelection()
  const ol = listElement()
  if (selection === null || selection.isCollapsed || ol === null) return null
  const items = [...ol.children].filter(
    (item): item is HTMLElement => item instanceof HTMLElement && selection.containsNode(item, true),
  )
  const keys = items.map(keyOf)
  const [firstKey, lastKey] = [keys[0], keys.at(-1)]
  if (firstKey === undefined || lastKey === undefined) return null
  const range = selection.getRangeAt(0)
  const from = ol.contains(range.startContainer) && range.startContainer !== ol ? firstKey : list.firstKey
  const to = ol.contains(range.endContainer) && range.endContainer !== ol ? lastKey : endKey(list) - 1
  if (to - from + 1 === items.length) return null
  const { before, after } = textAroundEntries(selection.toString(), items)
  const lines: string[] = []
  for (let key = from; key <= to; key++) {
    const entry = entryAt(list, key)
    if (entry?.kind === 'message') lines.push(entryText(entry.message))
  }
  return before + lines.join('\n') + after
}

/**
 * Makes selections work across entries that are not in the document. Returns the keys of the first and the last selected
 * entry, which the renderer must keep mounted. The entries between them are copied from the list.
 */
export function useListSelection(list: MessageList): SelectedKeys {
  const [keys, setKeys] = useState(noKeys)

  useEffect(() => {
    const updateKeys = () =>
      setKeys((previous) => {
        const next = selectedKeys()
        const isUnchanged = next.length === previous.length && next.every((key, index) => key === previous[index])
        return isUnchanged ? previous : next
      })
    document.addEventListener('selectionchange', updateKeys)
    return () => document.removeEventListener('selectionchange', updateKeys)
  }, [])

  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const text = selectedText(list)
      if (text === null || event.clipboardData === null) return
      event.clipboardData.setData('text/plain', text)
      event.preventDefault()
    }
    document.addEventListener('copy', copy)
    return () => document.removeEventListener('copy', copy)
  }, [list])

  return keys
}
