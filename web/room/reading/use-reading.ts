import { type RefObject, useCallback, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'
import type { Interval } from './intervals.ts'
import { visibleEntries } from '../list/list-geometry.ts'
import { useMeantScrolls } from '../list/use-user-scroll.ts'
import { arrived, latest, looked, startOfReading, trimmed } from './reading.ts'
import { useReadingMemory } from './reading-memory.ts'
import { useReturn, useWatched } from './page-visibility.ts'

/** Fractions of a pixel, at any zoom, still count as the end. */
const endTolerancePx = 4

interface Place {
  readonly topPx: number
  readonly heightPx: number
}

/**
 * Whether the reader, or the search in the page, has moved up. The place also moves by itself: where the virtualiser
 * measures entries anew while others come in, only what was meant counts; where all entries are in the document, they
 * only grow when they come into sight, and a browser that keeps the place moves it by no more than the list has shrunk.
 */
function hasMovedUp(view: HTMLElement, before: Place, meant: boolean): boolean {
  const risenPx = before.topPx - view.scrollTop
  if (risenPx <= 1 || meant) return risenPx > 1
  const shrunkPx = before.heightPx - view.scrollHeight
  return view.dataset['drawing'] === 'plain' ? risenPx > shrunkPx + 1 : shrunkPx === 0
}

/**
 * Keeps the list at its end while the reader is there, and knows what the reader has seen.
 * `openedAt` is the list's end when the room was opened: what had come before that was not watched.
 */
export function useReading(scroller: RefObject<HTMLElement | null>, list: MessageList, openedAt: number) {
  const memory = useReadingMemory()
  const reading = useSyncExternalStore(memory.reading.subscribe, memory.reading.get, () => startOfReading)
  const last = useRef<Place>({ topPx: 0, heightPx: 0 })
  const lastVisible = useRef<Interval | null>(null)
  const isMeant = useMeantScrolls(scroller)
  const { isWatched, isReturning } = useWatched()

  const goToEnd = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    view.scrollTo({ top: view.scrollHeight })
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    // The browser tells of it in the next frame only; until then the virtualiser would leave the end blank.
    if (view.dataset['drawing'] === 'virtual') view.dispatchEvent(new Event('scroll'))
  }, [scroller])

  const take = useCallback(
    (view: HTMLElement, movedUp: boolean) => {
      const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight <= endTolerancePx
      const before = memory.reading.get()
      // At the end, with nothing unread, there is nothing to find out: in a flood that saves laying out the list.
      const isIdle = before.following && !movedUp && before.unseen.length === 0 && before.line === null
      // After a jump the virtualiser has drawn nothing yet.
      const visible = isIdle ? null : visibleEntries(view)
      const range = visible ?? nothing
      const passed = visible !== null && isMeant() ? hull(lastVisible.current ?? visible, visible) : range
      memory.reading.set(looked(before, { atEnd, movedUp, visible: range, passed, watched: isWatched() }))
      if (visible !== null) memory.anchor.set(visible.anchor)
      if (visible !== null || isIdle) lastVisible.current = visible
      if (memory.reading.get().following && !atEnd) goToEnd()
    },
    [memory, goToEnd, isMeant, isWatched],
  )

  const onScroll = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    const movedUp = hasMovedUp(view, last.current, isMeant())
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    take(view, movedUp)
  }, [scroller, take, isMeant])

  /** Takes note of what is on the screen. Whether the place has moved only a scroll can tell. */
  const look = useCallback(() => {
    if (scroller.current !== null) take(scroller.current, false)
  }, [scroller, take])

  useLayoutEffect(() => {
    const wasFollowing = memory.reading.get().following
    const takeUpTo = (to: number, watched: boolean) => {
      const { end, own } = memory.known.get()
      const from = Math.max(end, list.firstKey)
      const isOwn = list.newestOwnKey !== null && list.newestOwnKey > (own ?? -1)
      memory.reading.set(arrived(memory.reading.get(), { from, to, watched, own: isOwn }))
      memory.known.set({ end: Math.max(from, to), own: list.newestOwnKey })
    }
    memory.reading.set(trimmed(memory.reading.get(), list.firstKey))
    if (memory.known.get().end < openedAt) takeUpTo(openedAt, false)
    takeUpTo(endKey(list), isWatched())
    if (!wasFollowing && memory.reading.get().following) goToEnd()
  }, [memory, list, openedAt, goToEnd, isWatched])

  useReturn(isReturning, look)

  const goToLatest = useCallback(() => {
    memory.reading.set(latest(memory.reading.get()))
    goToEnd()
  }, [memory, goToEnd])

  return { reading, onScroll, look, goToEnd, goToLatest }
}

const nothing: Interval = { from: 0, to: 0 }

const hull = (one: Interval, other: Interval): Interval => ({
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
})
