import type { MouseEvent } from 'react'
import { ArrowDownIcon } from '../../ui/icons.tsx'

interface ReadingBarProps {
  unseen: number
  /** Whether the first unread message is above what is on the screen. */
  isAbove: boolean
  onFirstUnread: () => void
  onLatest: (event: MouseEvent) => void
}

/** The ways out for a reader who is not at the end, or has left something unread. A row of its own: it covers no text. */
export function ReadingBar({ unseen, isAbove, onFirstUnread, onLatest }: ReadingBarProps) {
  return (
    <div className="reading-bar">
      {unseen > 0 && (
        <button type="button" onClick={onFirstUnread} className="reading-button" data-primary>
          {`First unread (${unseen.toLocaleString()})`}
          <ArrowDownIcon className={isAbove ? 'size-4 rotate-180' : 'size-4'} />
        </button>
      )}
      <button type="button" onClick={onLatest} className="reading-button">
        Latest
        <ArrowDownIcon className="size-4" />
      </button>
    </div>
  )
}
