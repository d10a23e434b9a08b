import { routes } from '../../contract/routes.ts'
import { screenAt } from './screens.ts'

function preloadNextScreen({ target }: Event) {
  if (!(target instanceof Element)) return
  const link = target.closest('a')
  if (link !== null && link.origin === window.location.origin) screenAt(link.pathname).preload()
  // After a login, the page shows the room.
  if (target.closest('form') !== null) screenAt(routes.room).preload()
}

/**
 * Preloads a screen when the user points at or focuses a link to it, and the room when the user is in a form. The
 * screen then opens at once, and the first load stays small.
 */
export function preloadScreens() {
  document.addEventListener('pointerover', preloadNextScreen, { passive: true })
  document.addEventListener('focusin', preloadNextScreen)
}
