import { useEffect, useState } from 'react'
import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { entryText } from '../entry/entry-text.ts'

/** The keys of the entries where the selection begins and ends. */
type SelectedKeys = readonly number[]

const noKeys: SelectedKeys = []

function listElement(): HTMLOListElement | null {
  return document.querySelector('.message-scroller > ol')
}

function keyAt(node: Node | null): number | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null)
  const key = element?.closest<HTMLElement>('.message-scroller li')?.dataset['index']
  return key === undefined ? null : Number(key)
}

function selectedKeys(): SelectedKeys {
  const selection = document.getSelection()
  if (selection === null || selection.isCollapsed) return noKeys
  return [keyAt(selection.anchorNode), keyAt(selection.focusNode)].filter((key) => key !== null)
}

/** What was drawn of the list, as it stands in the text of a selection, from its first to its last entry. */
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
 * The text of a selection that begins above and ends below what is drawn of the list, or reaches over entries that are
 * not drawn; `null` for any other, which the browser copies itself.
 */
function selectedText(list: MessageList): string | null {
  const selection = document.getSelection()
  const ol = listElement()
  if (selection === null || selection.isCollapsed || ol === null) return null
  const items = [...ol.children].filter(
    (item): item is HTMLElement => item instanceof HTMLElement && selection.containsNode(item, true),
  )
  const keys = items.map((item) => Number(item.dataset['index']))
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
 * Lets a selection reach over entries that are not in the document: the two where it begins and ends are kept there,
 * and what lies between is copied from the list.
 */
export function useListSelection(list: MessageList): SelectedKeys {
  const [keys, setKeys] = useState(noKeys)

  useEffect(() => {
    const note = () =>
      setKeys((before) => {
        const now = selectedKeys()
        return now.length === before.length && now.every((key, index) => key === before[index]) ? before : now
      })
    document.addEventListener('selectionchange', note)
    return () => document.removeEventListener('selectionchange', note)
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
