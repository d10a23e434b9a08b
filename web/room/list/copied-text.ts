import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { entryText } from '../entry/entry-text.ts'
import { oneLine } from '../entry/one-line.ts'
import { keyOf } from './list-geometry.ts'

const listElement = () => document.querySelector<HTMLOListElement>('.message-scroller > ol')

/** Returns the text of a range outside the list, with the line breaks of the layout. Changes the selection. */
function laidOutText(selection: Selection, range: Range): string {
  selection.removeAllRanges()
  selection.addRange(range)
  return selection.toString().trim()
}

/** Returns the part of an entry's text that is inside a range. */
function partOf(item: Element, range: Range): string {
  const part = document.createRange()
  part.selectNodeContents(item)
  if (range.comparePoint(item, 0) < 0) part.setStart(range.startContainer, range.startOffset)
  if (range.comparePoint(item, item.childNodes.length) > 0) part.setEnd(range.endContainer, range.endOffset)
  return part.toString()
}

/** Returns one line per entry inside a range, also for messages that are not in the document. */
function linesOf(list: MessageList, ol: HTMLOListElement, range: Range): string[] {
  const rendered = new Map<number, Element>()
  for (const item of ol.children) if (range.intersectsNode(item)) rendered.set(keyOf(item), item)
  const keys = [...rendered.keys()]
  const from = range.comparePoint(ol, 0) === 0 ? list.firstKey : (keys[0] ?? 0)
  const to = range.comparePoint(ol, ol.childNodes.length) === 0 ? endKey(list) - 1 : (keys.at(-1) ?? -1)
  const lines: string[] = []
  for (let key = from; key <= to; key++) {
    const item = rendered.get(key)
    const entry = entryAt(list, key)
    if (item !== undefined) lines.push(oneLine(partOf(item, range)))
    else if (entry?.kind === 'message') lines.push(entryText(entry.message))
  }
  return lines
}

function textOf(list: MessageList, ol: HTMLOListElement, selection: Selection, range: Range): string {
  const before = range.cloneRange()
  const after = range.cloneRange()
  if (range.comparePoint(ol, 0) === 0) before.setEndBefore(ol)
  else before.collapse(true)
  if (range.comparePoint(ol, ol.childNodes.length) === 0) after.setStartAfter(ol)
  else after.collapse()
  const parts = [laidOutText(selection, before), ...linesOf(list, ol, range), laidOutText(selection, after)]
  return parts.filter((part) => part !== '').join('\n')
}

/**
 * Returns the text to copy if the selection includes entries; `null` for any other selection, which the browser copies
 * itself.
 */
export function copiedText(list: MessageList): string | null {
  const selection = document.getSelection()
  const ol = listElement()
  if (selection === null || selection.isCollapsed || ol === null) return null
  const ranges = Array.from({ length: selection.rangeCount }, (_, index) => selection.getRangeAt(index).cloneRange())
  if (!ranges.some((range) => range.intersectsNode(ol))) return null
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection
  const text = ranges.map((range) => textOf(list, ol, selection, range)).join('\n')
  selection.removeAllRanges()
  if (ranges.length > 1) for (const range of ranges) selection.addRange(range)
  else if (anchorNode !== null && focusNode !== null) {
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset)
  }
  return text
}
