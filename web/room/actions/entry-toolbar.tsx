import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { MessageEntry } from '../../connection/receive/message-buffer.ts'
import { entryElement } from '../list/list-geometry.ts'
import type { EntryAction } from './entry-action.ts'
import { entryActions } from './entry-actions.ts'

interface EntryToolbarProps {
  entry: MessageEntry
  scroller: RefObject<HTMLElement | null>
  /** Buttons after those that every user has. */
  moreActions: readonly EntryAction[]
}

/** Moves the toolbar above the time of an entry, but not above the list. Hides it if the time is scrolled out of view. */
function moveToEntry(toolbar: HTMLElement, scroller: HTMLElement, key: number) {
  const item = entryElement(scroller, key)?.querySelector('.entry-time')?.getBoundingClientRect()
  const view = scroller.getBoundingClientRect()
  const isInView = item !== undefined && item.bottom > view.top && item.top < view.bottom
  toolbar.style.visibility = isInView ? 'visible' : 'hidden'
  if (isInView) toolbar.style.top = `${Math.max(0, item.top - view.top - toolbar.offsetHeight)}px`
}

/** Buttons for the selected entry. They are outside of the list, because the text of an entry is specified. */
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
