import type { Page, PageEvent } from '../../web/connection/link/browser-page.ts'
import { defaultTiming, type Timing } from '../../web/connection/timing.ts'

/** Creates a page without a browser. The test controls its events, its clocks and, unless `framesRun`, its frames. */
export function createScriptedPage({ framesRun = true, storage = new Map<string, string>() } = {}) {
  const target = new EventTarget()
  const frames = new Set<() => void>()
  let isHidden = false
  let isOnline = true
  let aheadMs = 0
  let listenerCount = 0
  let requestedFrames = 0
  let hasLeaveWarning = false
  let clockAheadMs = 0

  const page: Page = {
    nowMs: () => Date.now() + aheadMs + clockAheadMs,
    elapsedMs: () => performance.now() + aheadMs,
    isHidden: () => isHidden,
    isOnline: () => isOnline,
    requestFrame(callback) {
      requestedFrames++
      frames.add(callback)
      if (framesRun) setImmediate(runFrame)
      return () => frames.delete(callback)
    },
    listen(event, listener) {
      listenerCount++
      target.addEventListener(event, listener)
      return () => {
        listenerCount--
        target.removeEventListener(event, listener)
      }
    },
    store: (key, text) => void (text === null ? storage.delete(key) : storage.set(key, text)),
    load: (key) => storage.get(key) ?? null,
    setLeaveWarning: (isEnabled) => void (hasLeaveWarning = isEnabled),
  }

  function runFrame() {
    const due = [...frames]
    frames.clear()
    for (const callback of due) callback()
  }

  const dispatch = (event: PageEvent) => target.dispatchEvent(new Event(event))

  function setHidden(value: boolean) {
    isHidden = value
    dispatch('visibilitychange')
  }

  function setOnline(value: boolean) {
    isOnline = value
    dispatch(value ? 'online' : 'offline')
  }

  return {
    page,
    /** Session storage. Pass it to the next page to simulate a reload. */
    storage,
    hasLeaveWarning: () => hasLeaveWarning,
    dispatch,
    listenerCount: () => listenerCount,
    requestedFrames: () => requestedFrames,
    runFrame,
    setHidden,
    setOnline,
    advanceTime: (ms: number) => (aheadMs += ms),
    adjustClock: (ms: number) => (clockAheadMs += ms),
  }
}

/** Timing with short delays for tests. */
export const fastTiming: Timing = {
  ...defaultTiming,
  backOff: { baseMs: 5, capMs: 20 },
  cursorTimeoutMs: 50,
  publishPauseMs: 0,
}
