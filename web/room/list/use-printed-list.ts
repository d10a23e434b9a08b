import { type RefObject, useEffect } from 'react'
import { entriesBetween, type Entry, type MessageList } from '../../connection/receive/message-buffer.ts'
import { printedTexts } from './printed-text.ts'
import { printedRange } from './rendered-range.ts'

/**
 * Maximum number of entries that are printed as they are on the screen. Chromium lays out a printed page up to six times,
 * so the elements of more entries block it for seconds.
 */
const maxStyledEntries = 200

const printedList = ':scope > .printed-messages'

// Range that includes every character with right-to-left direction, and every character that changes the direction of
// the text after it.
const anyDirection = /[\u0590-\uffff]/

function isolated(text: string): Node | string {
  if (!anyDirection.test(text)) return text
  const isolate = document.createElement('bdi')
  isolate.textContent = text
  return isolate
}

function printedEntry(entry: Entry): HTMLLIElement {
  const item = document.createElement('li')
  item.append(...printedTexts(entry).map((text, index) => (index % 2 === 1 ? isolated(text) : text)))
  return item
}

/**
 * Returns the list for a printer. Most entries are one element with one text, without a list marker: the number of
 * elements, texts and markers determines how long the browser is blocked.
 */
function createPrintedList(list: MessageList): HTMLOListElement {
  const { from, to } = printedRange(list)
  const ol = document.createElement('ol')
  ol.className = 'printed-messages'
  if (from > list.firstKey) ol.dataset['truncated'] = 'true'
  ol.append(...entriesBetween(list, from, to).map(printedEntry))
  ol.normalize()
  return ol
}

const isStyled = (view: HTMLElement, list: MessageList) =>
  list.length <= maxStyledEntries && view.querySelectorAll('li').length === list.length

/**
 * Adds a list of all entries, up to a maximum, to the document while the page is printed. A short and complete list on
 * the screen needs no other list. The style sheet shows the added list only on paper, so the screen does not change.
 */
export function usePrintedList(scroller: RefObject<HTMLElement | null>, list: MessageList): void {
  useEffect(() => {
    const remove = () => scroller.current?.querySelector(printedList)?.remove()
    const add = () => {
      remove()
      const view = scroller.current
      if (view !== null && !isStyled(view, list)) view.append(createPrintedList(list))
    }
    window.addEventListener('beforeprint', add)
    window.addEventListener('afterprint', remove)
    return () => {
      window.removeEventListener('beforeprint', add)
      window.removeEventListener('afterprint', remove)
    }
  }, [scroller, list])
}
