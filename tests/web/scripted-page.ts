import type { Page, PageEvent } from '../../web/connection/link/browser-page.ts'
import { defaultTiming, type Timing } from '../../web/connection/timing.ts'

/** A page without a browser: its events and its clock are the test's, and its frames too unless they run by themselves. */
export function createScriptedPage({ framesRun = true, storage = new Map<string, string>() } = {}) {
  const target = new EventTarget()
  const frames = new Set<() => void>()
  let hidden = false
  let online = true
  let aheadMs = 0
  let listeners = 0
  let framesAsked = 0
  let warns = false
  let clockAheadMs = 0

  const page: Page = {
    nowMs: () => Date.now() + aheadMs + clockAheadMs,
    elapsedMs: () => performance.now() + aheadMs,
    isHidden: () => hidden,
    isOnline: () => online,
    requestFrame(callback) {
      framesAsked++
      frames.add(callback)
      if (framesRun) setImmediate(runFrame)
      return () => frames.delete(callback)
    },
    listen(event, listener) {
      listeners++
      target.addEventListener(event, listener)
      return () => {
        listeners--
        target.removeEventListener(event, listener)
      }
    },
    store: (key, text) => void (text === null ? storage.delete(key) : storage.set(key, text)),
    load: (key) => storage.get(key) ?? null,
    setLeaveWarning: (wanted) => void (warns = wanted),
  }

  function runFrame() {
    const due = [...frames]
    frames.clear()
    for (const callback of due) callback()
  }

  const happen = (event: PageEvent) => target.dispatchEvent(new Event(event))

  function setHidden(value: boolean) {
    hidden = value
    happen('visibilitychange')
  }

  function setOnline(value: boolean) {
    online = value
    happen(value ? 'online' : 'offline')
  }

  return {
    page,
    /** What a reload finds: give it to the next page. */
    storage,
    warns: () => warns,
    happen,
    listeners: () => listeners,
    framesAsked: () => framesAsked,
    runFrame,
    setHidden,
    setOnline,
    leap: (ms: number) => (aheadMs += ms),
    setClock: (ms: number) => (clockAheadMs += ms),
  }
}

export const fastTiming: Timing = {
  ...defaultTiming,
  backOff: { baseMs: 5, capMs: 20 },
  cursorTimeoutMs: 50,
  publishPauseMs: 0,
}
