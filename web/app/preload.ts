import { routes } from '../../contract/routes.ts'
import type { Readable } from '../connection/cell.ts'
import type { ConnectionStatus } from '../connection/connection-status.ts'
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
 * Preloads every screen soon after each connect, so that it also opens while the connection is lost. Preloads a screen
 * earlier when the user points at or focuses a link to it, and the room when the user is in a form. The screen then
 * opens at once, and the first load stays small.
 */
export function preloadScreens(status: Readable<ConnectionStatus>) {
  let timer = 0
  const preloadWhenLive = () => {
    window.clearTimeout(timer)
    if (status.get().kind !== 'live') return
    timer = window.setTimeout(() => screens.forEach((screen) => screen.preload()), preloadAfterMs)
  }
  preloadWhenLive()
  status.subscribe(preloadWhenLive)
  document.addEventListener('pointerover', preloadNextScreen, { passive: true })
  document.addEventListener('focusin', preloadNextScreen)
}
