import type { MouseEvent } from 'react'
import { ArrowDownIcon } from '../list/list-icons.tsx'

interface ReadingBarProps {
  unseen: number
  /** Whether the first unread message is above the visible part of the list. */
  isAbove: boolean
  onFirstUnread: (event: MouseEvent) => void
  onLatest: (event: MouseEvent) => void
}

/** Buttons that jump to the first unread and to the latest message. They have their own row, so that they cover no text. */
export function ReadingBar({ unseen, isAbove, onFirstUnread, onLatest }: ReadingBarProps) {
  return (
    <div className="reading-bar">
      {unseen > 0 && (
        <button type="button" onClick={onFirstUnread} className="reading-button" data-primary>
          <span>
            <span className="reading-first">First </span>
            <span className="reading-unread">{`unread (${unseen.toLocaleString()})`}</span>
          </span>
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
