import { routes } from '../../contract/routes.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { createOnDemand } from '../ui/on-demand.ts'
import { screenAt, screens } from './screens.ts'

/** Delay that keeps the code of other screens out of the first load. */
const preloadAfterMs = 3_000

function preloadNextScreen({ target }: Event) {
  if (!(target instanceof Element)) return
  const link = target.closest('a')
  if (link !== null && link.origin === window.location.origin) screenAt(link.pathname).preload()
  // After a login, the page shows the room.
  if (target.closest('form') !== null) screenAt(routes.room).preload()
}

/**
 * Preloads every screen soon after each connect, so that all screens also open while the connection is lost. Preloads a
 * screen earlier when the user points at or focuses a link to it, and the room when the user is in a form. The screen
 * then opens at once, and the first load stays small. Starts the notifications with the screens, because not every tab
 * shows the room.
 */
export function preloadScreens(connection: RoomConnection) {
  const { status } = connection
  const notifications = createOnDemand(async () =>
    (await import('../room/notifications/notifications.ts')).startNotifications(connection),
  )
  const preloadAll = () => {
    for (const screen of screens) screen.preload()
    notifications.load()
  }
  let timer = 0
  const preloadWhenLive = () => {
    window.clearTimeout(timer)
    if (status.get().kind !== 'live') return
    timer = window.setTimeout(preloadAll, preloadAfterMs)
  }
  preloadWhenLive()
  status.subscribe(preloadWhenLive)
  document.addEventListener('pointerover', preloadNextScreen, { passive: true })
  document.addEventListener('focusin', preloadNextScreen)
}
