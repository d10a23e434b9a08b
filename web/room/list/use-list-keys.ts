import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'
import { entryElement, visibleEntries } from './list-geometry.ts'

function keyOf(element: Element | null): number | null {
  const key = element?.closest('li')?.dataset['index']
  return key === undefined ? null : Number(key)
}

function targetKey(pressed: string, scroller: HTMLElement, list: MessageList): number | null {
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
export function useListKeys(scroller: RefObject<HTMLElement | null>, list: MessageList, rendererName: string) {
  const [focusedKey, setFocusedKey] = useState<number | null>(null)

  useLayoutEffect(() => {
    if (focusedKey !== null) entryElement(scroller.current, focusedKey)?.focus()
  }, [focusedKey, scroller])

  const focusedKeyRef = useRef(focusedKey)
  useLayoutEffect(() => {
    focusedKeyRef.current = focusedKey
  }, [focusedKey])
  // Drawn by another component, the entry is another element.
  useLayoutEffect(() => {
    if (focusedKeyRef.current !== null)
      entryElement(scroller.current, focusedKeyRef.current)?.focus({ preventScroll: true })
  }, [rendererName, scroller])

  return {
    focusedKey,
    setFocusedKey,
    walk: (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || scroller.current === null) return
      const next = targetKey(event.key, scroller.current, list)
      if (next === null) return
      event.preventDefault()
      setFocusedKey(next)
      // It may have the focus's number still, though the focus was put elsewhere since.
      entryElement(scroller.current, next)?.focus()
    },
    leave: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) setFocusedKey(null)
    },
  }
}
