import type { Page } from './browser-page.ts'

export interface PageLifecycleListener {
  /** Handles a page that is online, visible or awake again. Pending retries should run now. */
  onWake: () => void
  onVisibilityChange: () => void
  onOffline: () => void
  onOnline: () => void
  /** Handles a page that unloads or enters the back/forward cache, which rejects pages with open connections. */
  onPageHide: () => void
  onPageShow: () => void
}

/** Reports page lifecycle events and wake-ups of the device to `listener`. Returns a function that stops the reports. */
export function watchPageLifecycle(page: Page, sleepCheckMs: number, listener: PageLifecycleListener): () => void {
  let interval: ReturnType<typeof setInterval> | undefined
  let lastTickMs = 0

  function tick() {
    const nowMs = page.nowMs()
    const hasSlept = nowMs - lastTickMs > 3 * sleepCheckMs
    lastTickMs = nowMs
    if (hasSlept) listener.onWake()
  }

  // Browsers throttle the timers of a hidden page. The delayed ticks would look like sleep.
  function tickWhileVisible() {
    clearInterval(interval)
    if (page.isHidden()) return
    lastTickMs = page.nowMs()
    interval = setInterval(tick, sleepCheckMs)
  }

  const unlisten = [
    page.listen('online', () => {
      listener.onOnline()
      listener.onWake()
    }),
    page.listen('offline', listener.onOffline),
    page.listen('visibilitychange', () => {
      tickWhileVisible()
      listener.onVisibilityChange()
      if (!page.isHidden()) listener.onWake()
    }),
    page.listen('pagehide', listener.onPageHide),
    page.listen('pageshow', listener.onPageShow),
  ]
  tickWhileVisible()

  return () => {
    clearInterval(interval)
    for (const stop of unlisten) stop()
  }
}
