import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { MessageEntry } from '../../connection/receive/message-buffer.ts'
import { entryElement } from '../list/list-geometry.ts'
import type { EntryAction } from './entry-action.ts'
import { entryActions } from './entry-actions.ts'
import { type Extent, toolbarTop } from './toolbar-position.ts'

interface EntryToolbarProps {
  entry: MessageEntry
  scroller: RefObject<HTMLElement | null>
  /** Further actions, after those that every user has. */
  moreActions: readonly EntryAction[]
}

/**
 * Returns the extent of the lines above an entry, if any: the unread divider and the date line. The lines are in the top
 * padding of the entry's body. Without lines, the top and the bottom padding are equal.
 */
function dividerOf(item: Element | null, viewTop: number): Extent[] {
  const body = item?.querySelector('.entry-body') ?? null
  if (item === null || body === null) return []
  const { paddingTop, paddingBottom } = getComputedStyle(body)
  if (paddingTop === paddingBottom) return []
  const top = item.getBoundingClientRect().top - viewTop
  return [{ top, bottom: top + Number.parseFloat(paddingTop) }]
}

/** Moves the toolbar to an entry. Hides the toolbar if at most a part of the last line of the entry is in view. */
function moveToEntry(toolbar: HTMLElement, scroller: HTMLElement, key: number) {
  const item = entryElement(scroller, key)
  const time = item?.querySelector('.entry-time') ?? null
  const view = scroller.getBoundingClientRect()
  const extentOf = (element: Element): Extent => {
    const { top, bottom } = element.getBoundingClientRect()
    return { top: top - view.top, bottom: bottom - view.top }
  }
  const outside = { top: view.height, bottom: view.height }
  const entry = item === null ? outside : extentOf(item)
  const firstLine = time === null ? outside : extentOf(time)
  const isInView = entry.bottom >= firstLine.bottom - firstLine.top && firstLine.top < view.height
  toolbar.style.visibility = isInView ? 'visible' : 'hidden'
  if (item === null || !isInView) return
  const near = [item.previousElementSibling, item, item.nextElementSibling]
  const dividers = near.flatMap((element) => dividerOf(element, view.top))
  const height = toolbar.offsetHeight
  toolbar.style.top = `${toolbarTop({ height, viewHeight: view.height, entry, firstLine, dividers })}px`
}

/** Buttons for the selected entry. The buttons are outside of the list, because the text of an entry is specified. */
export function EntryToolbar({ entry, scroller, moreActions }: EntryToolbarProps) {
  const toolbar = useRef<HTMLDivElement>(null)
  const { key } = entry

  const move = useCallback(() => {
    if (toolbar.current !== null && scroller.current !== null) moveToEntry(toolbar.current, scroller.current, key)
  }, [key, scroller])
  // The effect runs after every render, because a new message can move the entry.
  useLayoutEffect(move)
  useEffect(() => {
    const view = scroller.current
    if (view === null) return
    const sizes = new ResizeObserver(move)
    for (const element of [view, ...view.children]) sizes.observe(element)
    view.addEventListener('scroll', move, { passive: true })
    return () => {
      sizes.disconnect()
      view.removeEventListener('scroll', move)
    }
  }, [move, scroller])

  return (
    // A press must not take the focus from the entry: that would remove the toolbar before the click.
    <div
      ref={toolbar}
      role="group"
      aria-label="Actions for the message"
      className="entry-toolbar"
      onMouseDown={(event) => event.preventDefault()}
    >
      {[...entryActions(entry), ...moreActions].map(({ label, run }) => (
        <button key={label} type="button" onClick={run} className="entry-action">
          {label}
        </button>
      ))}
    </div>
  )
}
