import { useEffect } from 'react'
import { usePath } from './location.ts'
import { useUnreadWhileHidden } from './unread.ts'

const icons = {
  plain: `${import.meta.env.BASE_URL}icon.svg`,
  unread: `${import.meta.env.BASE_URL}icon-unread.svg`,
}

/** Sets the title, icon and app badge from the name of the screen and the number of messages received while hidden. */
export function PageTitle({ titleAt }: { titleAt: (path: string) => string }) {
  const path = usePath()
  const unread = useUnreadWhileHidden()
  const title = titleAt(path)

  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) ${title}` : title
  }, [title, unread])

  const hasUnread = unread > 0
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon !== null) icon.href = hasUnread ? icons.unread : icons.plain
  }, [hasUnread])

  useEffect(() => {
    if (!('setAppBadge' in navigator)) return
    // The badge works only in an installed app. Ignore a rejection: the browser may not allow the badge.
    const badge = unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()
    badge.catch(() => undefined)
  }, [unread])

  return null
}
