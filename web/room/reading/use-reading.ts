import { type RefObject, useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { createCell } from '../../connection/cell.ts'
import type { Interval } from './intervals.ts'
import { layOutEntriesInView, visibleEntries } from '../list/list-geometry.ts'
import { useUserScroll } from '../list/use-user-scroll.ts'
import { addArrivals, applyView, dropTrimmed, jumpToLatest, stopFollowing } from './reading.ts'
import { initialReading } from './reading-state.ts'
import { type Anchor, useReadingMemory } from './reading-memory.ts'
import { usePageResume, usePageVisibility } from './page-visibility.ts'

/** Distance from the end that still counts as the end. Zoomed pages scroll by fractions of a pixel. */
const endTolerancePx = 4

const isAtEnd = (view: HTMLElement) => view.scrollHeight - view.scrollTop - view.clientHeight <= endTolerancePx

interface ScrollPosition {
  readonly topPx: number
  readonly heightPx: number
}

/**
 * Returns whether the user, or the browser's find-in-page, scrolled up. The scroll position also changes on its own. The
 * virtual list re-measures entries while others arrive. In that list, only a user's scroll counts, or a scroll that
 * leaves the height unchanged. In the plain list, the browser's scroll anchoring moves the position by at most the
 * amount by which the list shrank.
 */
function detectMoveUp(view: HTMLElement, previous: ScrollPosition, isUserScroll: boolean): boolean {
  const movedPx = previous.topPx - view.scrollTop
  // At the end, the browser moves the position when the viewport grows.
  if (movedPx <= 1 || isAtEnd(view)) return false
  if (isUserScroll) return true
  const shrunkPx = previous.heightPx - view.scrollHeight
  return view.dataset['renderer'] === 'plain' ? movedPx > shrunkPx + 1 : shrunkPx === 0
}

/**
 * Keeps the list at its end while the user follows it, and records what the user has seen.
 * `openedAtKey` is the end of the list when the room was opened. Earlier entries arrived while the list was not visible.
 * While `isHeld`, the list does not follow its end.
 */
export function useReading(
  scroller: RefObject<HTMLElement | null>,
  list: MessageList,
  openedAtKey: number,
  isHeld: boolean,
) {
  const memory = useReadingMemory()
  const reading = useSyncExternalStore(memory.reading.subscribe, memory.reading.get, () => initialReading)
  const lastPosition = useRef<ScrollPosition>({ topPx: 0, heightPx: 0 })
  const lastShown = useRef<Interval | null>(null)
  const isReplaying = useRef(false)
  /** Key after the last entry when the list was held at its end; `null` if it is not held there. */
  const [heldEnd] = useState(() => createCell<number | null>(null))
  const heldEndKey = useSyncExternalStore(heldEnd.subscribe, heldEnd.get, () => null)
  const isUserScroll = useUserScroll(scroller)
  const { isPageVisible, isResuming } = usePageVisibility()

  const goToEnd = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    view.scrollTo({ top: view.scrollHeight })
    lastPosition.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    // The browser fires the scroll event in the next frame, and React renders after another one. Until then the virtual
    // list would leave the end blank.
    if (view.dataset['renderer'] === 'virtual') flushSync(() => view.dispatchEvent(new Event('scroll')))
  }, [scroller])

  const updateFromView = useCallback(
    (view: HTMLElement, hasMovedUp: boolean) => {
      const previous = memory.reading.get()
      const isFollowing = previous.isFollowing && !hasMovedUp
      // When the list follows its end and every entry is seen, there is nothing to update. Skipping the measurement
      // saves a layout per batch.
      const isIdle = isFollowing && previous.unseen.length === 0 && previous.unreadDivider === null
      // Go to the end first: entries that are in view only before that do not count as seen. The end moves when the
      // entries in view get their final height.
      if (isFollowing && !isIdle) {
        do if (!isAtEnd(view)) goToEnd()
        while (layOutEntriesInView(view))
      }
      // `visible` is `null` right after a jump, before the virtual list has rendered its entries.
      const visible = isIdle ? null : visibleEntries(view)
      const shown = visible?.shown ?? emptyInterval
      const passed = visible !== null && isUserScroll() ? hull(lastShown.current ?? shown, shown) : shown
      memory.reading.set(
        // Missed messages that scroll through the view while others still arrive do not count as seen.
        applyView(previous, {
          isAtEnd: isAtEnd(view) && heldEnd.get() === null,
          hasMovedUp,
          visible: visible ?? emptyInterval,
          passed,
          isVisible: isPageVisible() && !isReplaying.current,
        }),
      )
      if (visible !== null) memory.anchor.set(visible.anchor)
      if (visible !== null || isIdle) lastShown.current = visible?.shown ?? null
      if (memory.reading.get().isFollowing && !isAtEnd(view)) goToEnd()
    },
    [memory, heldEnd, goToEnd, isUserScroll, isPageVisible],
  )

  const onScroll = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    const hasMovedUp = detectMoveUp(view, lastPosition.current, isUserScroll())
    lastPosition.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    updateFromView(view, hasMovedUp)
  }, [scroller, updateFromView, isUserScroll])

  /** Records what is on the screen, as if the user had not scrolled up: only a scroll event can show that. */
  const updateReading = useCallback(() => {
    if (scroller.current !== null) updateFromView(scroller.current, false)
  }, [scroller, updateFromView])

  useLayoutEffect(() => {
    const visible = isHeld && scroller.current !== null ? visibleEntries(scroller.current) : null
    if (visible === null || !memory.reading.get().isFollowing) return
    heldEnd.set(memory.processed.get().end)
    memory.anchor.set(visible.anchor)
    memory.reading.set(stopFollowing(memory.reading.get()))
    return () => {
      heldEnd.set(null)
      // If the user has scrolled meanwhile, the list stays at that position.
      if (memory.anchor.get().key !== visible.anchor.key) return
      memory.reading.set({ ...memory.reading.get(), isFollowing: true })
      goToEnd()
    }
  }, [isHeld, scroller, memory, heldEnd, goToEnd])

  useLayoutEffect(() => {
    const wasFollowing = memory.reading.get().isFollowing
    const processUpTo = (to: number, isVisible: boolean) => {
      const { end, newestOwnKey } = memory.processed.get()
      const from = Math.max(end, list.firstKey)
      const hasOwn = heldEnd.get() === null && list.newestOwnKey !== null && list.newestOwnKey > (newestOwnKey ?? -1)
      memory.reading.set(addArrivals(memory.reading.get(), { from, to, isVisible, hasOwn }))
      memory.processed.set({ end: Math.max(from, to), newestOwnKey: list.newestOwnKey })
    }
    memory.reading.set(dropTrimmed(memory.reading.get(), list.firstKey))
    const unseenEnd = Math.max(openedAtKey, replayEnd(list, memory.processed.get().end))
    const hasMissed = memory.processed.get().end < unseenEnd
    if (hasMissed) processUpTo(unseenEnd, false)
    processUpTo(endKey(list), isPageVisible())
    if (!wasFollowing && memory.reading.get().isFollowing) goToEnd()
    // Measure before the browser paints, so that no button appears for messages that fit on the screen.
    const wasReplaying = isReplaying.current
    isReplaying.current = list.isReplaying
    if ((hasMissed || wasReplaying) && !list.isReplaying && memory.reading.get().isFollowing) {
      goToEnd()
      updateReading()
    }
  }, [memory, list, openedAtKey, heldEnd, goToEnd, updateReading, isPageVisible])

  usePageResume(isResuming, updateReading)

  /** Stops following before a jump to an anchor. The entries that the jump skips do not count as seen. */
  const prepareJump = useCallback(
    (anchor: Anchor) => {
      memory.reading.set(stopFollowing(memory.reading.get()))
      memory.anchor.set(anchor)
      lastShown.current = null
    },
    [memory],
  )

  const goToLatest = useCallback(() => {
    memory.reading.set(jumpToLatest(memory.reading.get()))
    goToEnd()
  }, [memory, goToEnd])

  return { reading, heldEndKey, onScroll, updateReading, goToEnd, goToLatest, prepareJump }
}

/** Returns the key after the replayed messages that start at `from`: the page was disconnected when they were sent. */
function replayEnd(list: MessageList, from: number): number {
  let key = Math.max(from, list.firstKey)
  for (let entry = entryAt(list, key); entry !== undefined; entry = entryAt(list, ++key)) {
    if (entry.kind === 'message' && entry.isLive) break
  }
  return key
}

const emptyInterval: Interval = { from: 0, to: 0 }

const hull = (one: Interval, other: Interval): Interval => ({
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
})
