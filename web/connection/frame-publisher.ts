import { createAlarm } from './alarm.ts'
import type { Page } from './page.ts'

/** Publishes what was requested at most once per frame; on a hidden page, where no frames run, now and then. */
export function createFramePublisher(page: Page, hiddenPublishMs: number, publish: () => void) {
  const alarm = createAlarm()
  let cancelFrame: (() => void) | null = null
  let requested = false

  function unschedule() {
    alarm.clear()
    cancelFrame?.()
    cancelFrame = null
  }

  function schedule() {
    if (page.isHidden()) alarm.set(hiddenPublishMs, run)
    else cancelFrame = page.requestFrame(run)
  }

  function run() {
    cancelFrame = null
    requested = false
    publish()
  }

  function request() {
    if (requested) return
    requested = true
    schedule()
  }

  /** A frame asked for before the page was hidden would come only when it is shown again. */
  function visibilityChanged() {
    if (!requested) return
    unschedule()
    schedule()
  }

  function stop() {
    unschedule()
    if (requested) run()
  }

  return { request, visibilityChanged, stop }
}
