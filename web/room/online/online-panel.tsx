import { useId, useState } from 'react'
import { shownOnlineCount } from './online-count.ts'
import { useOnlineUsers } from '../../connection/hooks.ts'
import { ChevronIcon } from '../../ui/icons.tsx'
import { useWideScreen } from '../../ui/media-query.ts'
import { OnlineList } from './online-list.tsx'

/** List of online users: a sidebar on wide screens, otherwise collapsed below its title. */
export function OnlinePanel() {
  const users = useOnlineUsers()
  const isWide = useWideScreen()
  const [isExpanded, setIsExpanded] = useState(false)
  const titleId = useId()
  const listId = useId()
  const title = `Online Users Socket Id [${shownOnlineCount(users.length)}]`
  const isCollapsible = !isWide && users.length > 0

  return (
    <section data-expanded={isExpanded} className="online-panel">
      <h2 id={titleId} className="panel-title min-w-0 tabular-nums">
        {isCollapsible ? (
          <button
            type="button"
            aria-expanded={isExpanded}
            aria-controls={listId}
            onClick={() => setIsExpanded(!isExpanded)}
            className="flex min-h-11 w-full items-center justify-between gap-2 text-start"
          >
            {title}
            <ChevronIcon className={`size-5 transition-transform duration-200 ${isExpanded ? 'rotate-180' : ''}`} />
          </button>
        ) : (
          title
        )}
      </h2>
      {users.length === 0 ? (
        <p className="text-xs text-ink-soft phone:text-sm">Fetching ...</p>
      ) : (
        <div id={listId} className="online-content">
          <OnlineList users={users} titleId={titleId} />
        </div>
      )}
    </section>
  )
}
