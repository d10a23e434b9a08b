import { type MouseEvent, useLayoutEffect, useSyncExternalStore } from 'react'
import { useRoomConnection } from '../../connection/room-connection-context.ts'
import { SearchIcon } from './list-icons.tsx'
import { NotificationSettings } from '../notifications/notification-settings.tsx'
import { pageNotifications, startNotifications } from '../notifications/notifications.ts'

interface MessageToolsProps {
  hasMessages: boolean
  onSearch: () => void
}

/** Buttons beside the title of the list. */
export function MessageTools({ hasMessages, onSearch }: MessageToolsProps) {
  const connection = useRoomConnection()
  const notifications = useSyncExternalStore(pageNotifications.subscribe, pageNotifications.get)
  useLayoutEffect(() => startNotifications(connection), [connection])
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
      {notifications !== null && <NotificationSettings notifications={notifications} />}
    </div>
  )
}
