import { useState } from 'react'
import { onlinePanelMaxHeightRem } from '../../../contract/constants.ts'
import { remPx } from '../../ui/rem-px.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { visibleRows } from './visible-rows.ts'

/** Height of a row. The style sheet reads it as `--row-height`. */
const rowRem = 1.75

interface OnlineListProps {
  users: readonly string[]
  titleId: string
}

export function OnlineList({ users, titleId }: OnlineListProps) {
  const [scrolled, setScrolled] = useState({ topPx: 0, remPx: 16 })
  const rowPx = rowRem * scrolled.remPx
  const { from, to } = visibleRows(users.length, rowPx, scrolled.topPx, onlinePanelMaxHeightRem * scrolled.remPx)
  // React's style types have no custom properties. `--digits` is the number of digits of the list's markers.
  const properties: Record<string, string | number> = {
    '--row-height': `${rowRem}rem`,
    '--digits': String(users.length).length,
  }
  const isComplete = from === 0 && to === users.length

  return (
    <ScrollRegion
      aria-labelledby={titleId}
      onScroll={(event) => setScrolled({ topPx: event.currentTarget.scrollTop, remPx: remPx() })}
      className="online-scroller"
    >
      <ol
        className="online-list"
        start={from + 1}
        style={{ ...properties, paddingTop: from * rowPx, paddingBottom: (users.length - to) * rowPx }}
      >
        {users.slice(from, to).map((user, offset) => (
          <li
            key={from + offset}
            className="online-row"
            aria-setsize={isComplete ? undefined : users.length}
            aria-posinset={isComplete ? undefined : from + offset + 1}
          >
            {user}
          </li>
        ))}
      </ol>
    </ScrollRegion>
  )
}
