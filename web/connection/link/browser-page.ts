export type PageEvent = 'online' | 'offline' | 'visibilitychange' | 'pagehide' | 'pageshow'

/** What the connection needs to know of the page it lives in. */
export interface Page {
  nowMs(): number
  isHidden(): boolean
  isOnline(): boolean
  /** Both return what takes them back. */
  requestFrame(callback: () => void): () => void
  listen(event: PageEvent, listener: () => void): () => void
}

export const browserPage: Page = {
  nowMs: () => Date.now(),
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
}
