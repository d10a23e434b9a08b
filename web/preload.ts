import { routes } from '../contract/routes.ts'
import { screenAt } from './screens.ts'

function loadLinked({ target }: Event) {
  const link = target instanceof Element ? target.closest('a') : null
  if (link !== null && link.origin === window.location.origin) void screenAt(link.pathname)?.load()
}

/**
 * Fetches a screen when somebody points at a link to it, so that it opens at once and the first load stays light.
 * Every screen leads to the room: that one is fetched when there is nothing else to do.
 */
export function preloadScreens() {
  document.addEventListener('pointerover', loadLinked, { passive: true })
  document.addEventListener('focusin', loadLinked)
  const loadRoom = () => void screenAt(routes.room)?.load()
  if ('requestIdleCallback' in window) window.requestIdleCallback(loadRoom)
  else setTimeout(loadRoom, 1_000)
}
