/** Each fires on the window, or comes to it from the document; 'freeze' and 'resume' do not, and would be heard by nobody. */
export type PageEvent = 'online' | 'offline' | 'visibilitychange' | 'pagehide' | 'pageshow'

/** What the connection needs to know of the page it lives in. */
export interface Page {
  /** The clock, which somebody may set. */
  nowMs(): number
  /** For waits: never runs back. */
  elapsedMs(): number
  isHidden(): boolean
  isOnline(): boolean
  /** Both return what takes them back. */
  requestFrame(callback: () => void): () => void
  listen(event: PageEvent, listener: () => void): () => void
  /** What outlives a reload of this tab; `null` takes it away. */
  store(key: string, text: string | null): void
  load(key: string): string | null
  /** Whether closing the page asks first. */
  setLeaveWarning(wanted: boolean): void
}

let isReloading = false
const preventLeave = (event: Event) => {
  if (!isReloading) event.preventDefault()
}

/** Loads the page anew without asking: what was typed and what waits is kept, and nobody chose to leave. */
export function reloadPage() {
  isReloading = true
  window.location.reload()
}

const probeKey = 'chat-room.probe'

/** Whether `keep` works: storage may be forbidden or full. */
export function canStore(): boolean {
  browserPage.store(probeKey, '1')
  const isKept = browserPage.load(probeKey) !== null
  browserPage.store(probeKey, null)
  return isKept
}

export const browserPage: Page = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  isHidden: () => document.visibilityState === 'hidden',
  isOnline: () => navigator.onLine,
  requestFrame(callback) {
    const frame = requestAnimationFrame(callback)
    return () => cancelAnimationFrame(frame)
  },
  listen(event, listener) {
    addEventListener(event, listener)
    return () => removeEventListener(event, listener)
  },
  // Storage may be forbidden or full: then a reload forgets, and nothing else is different.
  store(key, text) {
    try {
      if (text === null) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, text)
    } catch {
      // As said above.
    }
  },
  load(key) {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  },
  // Only while it is wanted: a page that listens for this is not put into the back/forward cache.
  setLeaveWarning(wanted) {
    if (wanted) addEventListener('beforeunload', preventLeave)
    else removeEventListener('beforeunload', preventLeave)
  },
}
