import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'
import { entryElement, visibleEntries } from './list-geometry.ts'

function keyOf(element: Element | null): number | null {
  const key = element?.closest('li')?.dataset['index']
  return key === undefined ? null : Number(key)
}

function target(pressed: string, scroller: HTMLElement, list: MessageList): number | null {
  if (pressed === 'Home') return list.firstKey
  if (pressed === 'End') return endKey(list) - 1
  const step = pressed === 'ArrowUp' ? -1 : pressed === 'ArrowDown' ? 1 : 0
  if (step === 0) return null
  const current = keyOf(document.activeElement)
  const visible = visibleEntries(scroller)
  const isInView = current !== null && visible !== null && current >= visible.from && current < visible.to
  // Who has scrolled on, by whatever means, goes on from what they see.
  if (!isInView && visible !== null) return current !== null && step > 0 ? visible.from : visible.to - 1
  return Math.min(endKey(list) - 1, Math.max(list.firstKey, (current ?? list.firstKey) + step))
}

/** Walks the entries one by one with the arrow keys, Home and End; each gets the focus, and so is read aloud. */
export function useListWalk(scroller: RefObject<HTMLElement | null>, list: MessageList, drawing: string) {
  const [focused, setFocused] = useState<number | null>(null)

  useLayoutEffect(() => {
    if (focused !== null) entryElement(scroller.current, focused)?.focus()
  }, [focused, scroller])

  const focusedNow = useRef(focused)
  useLayoutEffect(() => {
    focusedNow.current = focused
  }, [focused])
  // Drawn by another component, the entry is another element.
  useLayoutEffect(() => {
    if (focusedNow.current !== null) entryElement(scroller.current, focusedNow.current)?.focus({ preventScroll: true })
  }, [drawing, scroller])

  return {
    focused,
    setFocused,
    walk: (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || scroller.current === null) return
      const next = target(event.key, scroller.current, list)
      if (next === null) return
      event.preventDefault()
      setFocused(next)
      // It may have the focus's number still, though the focus was put elsewhere since.
      entryElement(scroller.current, next)?.focus()
    },
    leave: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null)
    },
  }
}
