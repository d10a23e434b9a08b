import { type RefObject, useEffect } from 'react'
import { entryElement } from '../list/list-geometry.ts'
import { foldWithOffsets } from './fold.ts'

const highlightName = 'search-match'

/** Returns the ranges of an element's text that match. The pattern is for folded texts. */
export function matchRanges(element: Element, pattern: RegExp): Range[] {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: { node: Node; start: number }[] = []
  let text = ''
  while (texts.nextNode() !== null) {
    nodes.push({ node: texts.currentNode, start: text.length })
    text += texts.currentNode.nodeValue ?? ''
  }
  const pointAt = (offset: number) => {
    const { node, start } = nodes.findLast(({ start }) => start <= offset) ?? { node: element, start: offset }
    return [node, offset - start] as const
  }
  const { text: folded, offsets } = foldWithOffsets(text)
  return [...folded.matchAll(pattern)].map(({ 0: found, index }) => {
    const range = document.createRange()
    range.setStart(...pointAt(offsets[index] ?? 0))
    // A match can end inside of the folded text of one character, such as 'ss' of 'ß'.
    const lastOffset = offsets[index + found.length - 1] ?? 0
    const end = offsets.slice(index + found.length).find((offset) => offset > lastOffset) ?? text.length
    const [node, offset] = pointAt(end - 1)
    range.setEnd(node, offset + 1)
    return range
  })
}

/**
 * Highlights the matching text in browsers that support the CSS Custom Highlight API. `useHighlight` marks the entry in
 * every browser.
 */
function highlight(element: Element, pattern: RegExp) {
  if ('highlights' in CSS) CSS.highlights.set(highlightName, new Highlight(...matchRanges(element, pattern)))
}

/** Marks the entry of the current match without a change of its content. */
export function useHighlight(scroller: RefObject<HTMLElement | null>, key: number | null, pattern: RegExp | null) {
  useEffect(() => {
    const view = scroller.current
    if (view === null || key === null || pattern === null) return
    let marked: HTMLElement | null = null
    const mark = () => {
      const element = entryElement(view, key)
      if (element === marked) return
      marked = element
      if (element === null) return
      element.dataset['match'] = ''
      highlight(element, pattern)
    }
    mark()
    // A list renderer can create the element later, and replace it.
    const entries = new MutationObserver(mark)
    entries.observe(view, { childList: true, subtree: true })
    return () => {
      entries.disconnect()
      delete marked?.dataset['match']
      if ('highlights' in CSS) CSS.highlights.delete(highlightName)
    }
  }, [scroller, key, pattern])
}
