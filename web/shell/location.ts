import { createContext, useContext, useSyncExternalStore } from 'react'
import { routes } from '../../contract/routes.ts'
import { captureScrollAnchor, type ScrollAnchor } from './scroll-position.ts'

const listeners = new Set<() => void>()

function notify() {
  for (const listener of listeners) listener()
}

/** Scroll anchor of each history entry, by its index. The browser cannot restore positions in content fetched later. */
const scrollAnchors = new Map<number, ScrollAnchor | undefined>()
let currentIndex = 0

/** Saves the scroll anchor of the previous entry. Must run before React renders the new screen. */
function leaveEntry() {
  scrollAnchors.set(currentIndex, captureScrollAnchor())
  currentIndex = entryIndex()
}

function onPopState() {
  leaveEntry()
  notify()
}

const enableAppScrollRestoration = () => (window.history.scrollRestoration = 'manual')
const enableBrowserScrollRestoration = () => (window.history.scrollRestoration = 'auto')

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    currentIndex = entryIndex()
    window.addEventListener('popstate', onPopState)
    window.addEventListener('pageshow', enableAppScrollRestoration)
    window.addEventListener('pagehide', enableBrowserScrollRestoration)
    enableAppScrollRestoration()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.removeEventListener('popstate', onPopState)
    window.removeEventListener('pageshow', enableAppScrollRestoration)
    window.removeEventListener('pagehide', enableBrowserScrollRestoration)
  }
}

/** Returns the scroll anchor saved for the current entry. */
export const savedScrollAnchor = () => scrollAnchors.get(entryIndex())

/**
 * Returns the number of entries of this app before the current one. The history state stores this number, so it survives
 * a reload. An entry that the app did not create (typed, bookmarked, an external link) counts as the first entry.
 */
function entryIndex(): number {
  const state: unknown = window.history.state
  if (typeof state !== 'object' || state === null || !('index' in state)) return 0
  return typeof state.index === 'number' ? state.index : 0
}

export function navigate(to: string, { replace = false } = {}) {
  const index = entryIndex()
  if (replace || to === window.location.pathname) window.history.replaceState({ index }, '', to)
  else {
    window.history.pushState({ index: index + 1 }, '', to)
    leaveEntry()
    scrollAnchors.delete(currentIndex)
  }
  notify()
}

/** Goes back one entry, or to the room when the previous entry is not of this app. */
export function goBack() {
  if (entryIndex() > 0) window.history.back()
  else navigate(routes.room, { replace: true })
}

const readPath = () => window.location.pathname

/** Path to render at build time, where there is no `location`. */
const PrerenderPathContext = createContext<string | undefined>(undefined)
export const PrerenderPathProvider = PrerenderPathContext.Provider

export function usePath(): string {
  const prerenderPath = useContext(PrerenderPathContext)
  return useSyncExternalStore(subscribe, readPath, () => prerenderPath ?? readPath())
}
