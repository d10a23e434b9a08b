import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'
import { closestKey, entryElement, visibleEntries } from './list-geometry.ts'

function targetKey(keyName: string, scroller: HTMLElement, list: MessageList): number | null {
  if (keyName === 'Home') return list.firstKey
  if (keyName === 'End') return endKey(list) - 1
  const step = keyName === 'ArrowUp' ? -1 : keyName === 'ArrowDown' ? 1 : 0
  if (step === 0) return null
  const current = closestKey(document.activeElement)
  const visible = visibleEntries(scroller)
  const isInView = current !== null && visible !== null && current >= visible.from && current < visible.to
  // If no entry in view has the focus, continue at the visible entries.
  if (!isInView && visible !== null) return current !== null && step > 0 ? visible.from : visible.to - 1
  return Math.min(endKey(list) - 1, Math.max(list.firstKey, (current ?? list.firstKey) + step))
}

/**
 * Returns the element to which a key moves the focus from an entry or from one of its links; `null` if there is none.
 * Enter and the right arrow move to the first link. Without links, Enter moves to the toolbar. The horizontal arrows
 * move between links, and the left arrow moves from the first link back to the entry.
 */
function targetInEntry(keyName: string): HTMLElement | null {
  const focused = document.activeElement
  const item = focused?.closest<HTMLElement>('.message-scroller li') ?? null
  if (item === null) return null
  const links = [...item.querySelectorAll<HTMLElement>('a')]
  if (focused === item && keyName === 'Enter') return links[0] ?? document.querySelector('.entry-action')
  if (focused === item) return keyName === 'ArrowRight' ? (links[0] ?? null) : null
  const index = links.findIndex((link) => link === focused)
  if (keyName === 'ArrowRight') return links[index + 1] ?? null
  if (keyName === 'ArrowLeft') return links[index - 1] ?? item
  return null
}

/**
 * Moves the focus inside the list, which is one Tab stop. The up and down arrows, Home and End move between entries, so
 * that screen readers read each one. Enter and the left and right arrows move inside an entry.
 */
export function useListKeys(scroller: RefObject<HTMLElement | null>, list: MessageList, rendererName: string) {
  const [focusedKey, setFocusedKey] = useState<number | null>(null)

  useLayoutEffect(() => {
    if (focusedKey !== null) entryElement(scroller.current, focusedKey)?.focus()
  }, [focusedKey, scroller])

  const focusedKeyRef = useRef(focusedKey)
  useLayoutEffect(() => {
    focusedKeyRef.current = focusedKey
  }, [focusedKey])
  // Another renderer creates other elements, so the focus must be set again.
  useLayoutEffect(() => {
    if (focusedKeyRef.current !== null)
      entryElement(scroller.current, focusedKeyRef.current)?.focus({ preventScroll: true })
  }, [rendererName, scroller])

  return {
    focusedKey,
    setFocusedKey,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || scroller.current === null) return
      const element = targetInEntry(event.key)
      if (element !== null) {
        event.preventDefault()
        element.focus()
        return
      }
      const next = targetKey(event.key, scroller.current, list)
      if (next === null) return
      event.preventDefault()
      setFocusedKey(next)
      // If the state already has this key, the effect does not run. The focus may have moved elsewhere meanwhile.
      entryElement(scroller.current, next)?.focus()
    },
    onBlur: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) setFocusedKey(null)
    },
  }
}
