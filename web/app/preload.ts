import { routes } from '../../contract/routes.ts'
import { screenAt } from './screens.ts'

function loadNext({ target }: Event) {
  if (!(target instanceof Element)) return
  const link = target.closest('a')
  if (link !== null && link.origin === window.location.origin) screenAt(link.pathname).preload()
  // Whoever fills in a form is about to log in, and that leads to the room.
  if (target.closest('form') !== null) screenAt(routes.room).preload()
}

/** Fetches a screen when somebody is about to go there, so that it opens at once and the first load stays light. */
export function preloadScreens() {
  document.addEventListener('pointerover', loadNext, { passive: true })
  document.addEventListener('focusin', loadNext)
}
