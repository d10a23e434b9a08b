import type { Page } from './browser-page.ts'

export interface PageLifecycleListener {
  /** The network or the reader is back: what waits should not wait on. */
  onWake: () => void
  onVisibilityChange: () => void
  onOffline: () => void
  onOnline: () => void
  /** The page goes away, perhaps into the back/forward cache, which open connections would bar. */
  onPageHide: () => void
  onPageShow: () => void
}

/** Watches for what a page lives through; returns what ends it. */
export function watchPageLifecycle(page: Page, sleepCheckMs: number, life: PageLifecycleListener): () => void {
  let ticking: ReturnType<typeof setInterval> | undefined
  let lastTickMs = 0

  function tick() {
    const nowMs = page.nowMs()
    const slept = nowMs - lastTickMs > 3 * sleepCheckMs
    lastTickMs = nowMs
    if (slept) life.onWake()
  }

  // A hidden page's timers are held back, which is no sleep, and it costs nothing.
  function tickWhileShown() {
    clearInterval(ticking)
    if (page.isHidden()) return
    lastTickMs = page.nowMs()
    ticking = setInterval(tick, sleepCheckMs)
  }

  const unlisten = [
    page.listen('online', () => {
      life.onOnline()
      life.onWake()
    }),
    page.listen('offline', life.onOffline),
    page.listen('visibilitychange', () => {
      tickWhileShown()
      life.onVisibilityChange()
      if (!page.isHidden()) life.onWake()
    }),
    page.listen('pagehide', life.onPageHide),
    page.listen('pageshow', life.onPageShow),
  ]
  tickWhileShown()

  return () => {
    clearInterval(ticking)
    for (const stop of unlisten) stop()
  }
}
