import type { MouseEvent } from 'react'
import { SearchIcon } from './list-icons.tsx'
import { canNotify } from '../notifications/browser-notifications.ts'
import { NotificationSettings } from '../notifications/notification-settings.tsx'

interface MessageToolsProps {
  hasMessages: boolean
  onSearch: () => void
}

/** Buttons beside the title of the list. */
export function MessageTools({ hasMessages, onSearch }: MessageToolsProps) {
  const search = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    // Safari does not focus a pressed button. The focus returns to it when the search is closed.
    currentTarget.focus()
    onSearch()
  }
  return (
    <div className="message-tools">
      {hasMessages && (
        <button type="button" aria-label="Search messages" onClick={search} className="tool-button">
          <SearchIcon />
        </button>
      )}
      {canNotify() && <NotificationSettings />}
    </div>
  )
}
