/** Events that fire on the window or bubble to it. 'freeze' and 'resume' fire on the document only. */
export type PageEvent = 'online' | 'offline' | 'visibilitychange' | 'pagehide' | 'pageshow'

/** Browser functions that the connection uses. Tests replace them. */
export interface Page {
  /** Returns the time of the wall clock in ms. The clock can be set back. */
  nowMs(): number
  /** Returns the time of the monotonic clock in ms, for timeouts. */
  elapsedMs(): number
  isHidden(): boolean
  isOnline(): boolean
  /** Requests an animation frame. Returns a function that cancels it. */
  requestFrame(callback: () => void): () => void
  /** Adds a listener. Returns a function that removes it. */
  listen(event: PageEvent, listener: () => void): () => void
  /** Stores a text that survives a reload of this tab; `null` removes it. */
  store(key: string, text: string | null): void
  load(key: string): string | null
  /** Turns on or off the browser's confirmation dialog before the page unloads. */
  setLeaveWarning(isEnabled: boolean): void
}

let isReloading = false
const preventLeave = (event: Event) => {
  if (!isReloading) event.preventDefault()
}

/** Reloads the page without the confirmation dialog. Session storage keeps the draft and the outbox. */
export function reloadPage() {
  isReloading = true
  window.location.reload()
}

const probeKey = 'chat-room.probe'

/** Returns whether session storage works. The storage can be disabled or full. */
export function canStore(): boolean {
  browserPage.store(probeKey, '1')
  const isStored = browserPage.load(probeKey) !== null
  browserPage.store(probeKey, null)
  return isStored
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
  store(key, text) {
    try {
      if (text === null) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, text)
    } catch {
      // Storage is disabled or full: a reload loses the value.
    }
  },
  load(key) {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  },
  // Listen only when necessary: a `beforeunload` listener can keep the page out of the back/forward cache.
  setLeaveWarning(isEnabled) {
    if (isEnabled) addEventListener('beforeunload', preventLeave)
    else removeEventListener('beforeunload', preventLeave)
  },
}
