import type { Page } from './browser-page.ts'

export interface PageLife {
  /** The network or the reader is back: what waits should not wait on. */
  onWake: () => void
  onVisibilityChange: () => void
  onOffline: () => void
  onOnline: () => void
  /** The page goes away, perhaps into the back/forward cache, which open connections would bar. */
  onLeave: () => void
  onReturn: () => void
}

/** Watches for what a page lives through; returns what ends it. */
export function watchPageLife(page: Page, sleepTickMs: number, life: PageLife): () => void {
  let ticking: ReturnType<typeof setInterval> | undefined
  let lastTickMs = 0

  function tick() {
    const nowMs = page.nowMs()
    const slept = nowMs - lastTickMs > 3 * sleepTickMs
    lastTickMs = nowMs
    if (slept) life.onWake()
  }

  // A hidden page's timers are held back, which is no sleep, and it costs nothing.
  function tickWhileShown() {
    clearInterval(ticking)
    if (page.isHidden()) return
    lastTickMs = page.nowMs()
    ticking = setInterval(tick, sleepTickMs)
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
    page.listen('pagehide', life.onLeave),
    page.listen('pageshow', life.onReturn),
  ]
  tickWhileShown()

  return () => {
    clearInterval(ticking)
    for (const stop of unlisten) stop()
  }
}
