import { createContext, useContext, useSyncExternalStore } from 'react'
import { routes } from '../../contract/routes.ts'
import { captureScrollAnchor, type ScrollAnchor } from './scroll-position.ts'

export interface NavigateOptions {
  replace?: boolean
}

const listeners = new Set<() => void>()

function notify() {
  for (const listener of listeners) listener()
}

/** Where each entry of the history was left, by its index; the browser's own memory knows nothing of what is fetched. */
const scrollAnchors = new Map<number, ScrollAnchor | undefined>()
let shownIndex = 0

/** What is on the screen still belongs to the entry that is being left. */
function leaveEntry() {
  scrollAnchors.set(shownIndex, captureScrollAnchor())
  shownIndex = entryIndex()
}

function onPopState() {
  leaveEntry()
  notify()
}

const restoreByApp = () => (window.history.scrollRestoration = 'manual')
const restoreByBrowser = () => (window.history.scrollRestoration = 'auto')

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    shownIndex = entryIndex()
    window.addEventListener('popstate', onPopState)
    window.addEventListener('pageshow', restoreByApp)
    window.addEventListener('pagehide', restoreByBrowser)
    restoreByApp()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.removeEventListener('popstate', onPopState)
    window.removeEventListener('pageshow', restoreByApp)
    window.removeEventListener('pagehide', restoreByBrowser)
  }
}

export const savedScrollAnchor = () => scrollAnchors.get(entryIndex())

/**
 * How many entries of this app lie behind the current one. It stands in the entry itself, so a reload keeps it;
 * an entry that the app did not make (typed, bookmarked, followed from elsewhere) is a first one.
 */
function entryIndex(): number {
  const state: unknown = window.history.state
  if (typeof state !== 'object' || state === null || !('index' in state)) return 0
  return typeof state.index === 'number' ? state.index : 0
}

export function navigate(to: string, { replace = false }: NavigateOptions = {}) {
  const index = entryIndex()
  if (replace || to === window.location.pathname) window.history.replaceState({ index }, '', to)
  else {
    window.history.pushState({ index: index + 1 }, '', to)
    leaveEntry()
    scrollAnchors.delete(shownIndex)
  }
  notify()
}

/** Back one step, but never out of the app: where nothing of it lies behind, home. */
export function goBack() {
  if (entryIndex() > 0) window.history.back()
  else navigate(routes.room, { replace: true })
}

const readPath = () => window.location.pathname

/** The path to draw at build time, where there is no location. */
const PrerenderPathContext = createContext<string | undefined>(undefined)
export const PrerenderPathProvider = PrerenderPathContext.Provider

export function usePath(): string {
  const builtPath = useContext(PrerenderPathContext)
  return useSyncExternalStore(subscribe, readPath, () => builtPath ?? readPath())
}
