import { createTimer } from '../link/timer.ts'
import type { Page } from '../link/browser-page.ts'
import type { Timing } from '../timing.ts'

/** Of five parts of the time one goes into drawing. */
const restPerDrawing = 4
/** However slow the machine is: a room that stands still looks dead. */
const longestRestMs = 500

/**
 * Publishes what was requested in the next frame, then not again for a moment, which is the longer the longer it took
 * to draw: however fast messages come, and however slow the machine is, most of the time is left for the reader's own
 * keys. On a hidden page, where no frames run, it publishes now and then.
 */
export function createFramePublisher(
  page: Page,
  { publishPauseMs, hiddenPublishIntervalMs }: Pick<Timing, 'publishPauseMs' | 'hiddenPublishIntervalMs'>,
  publish: () => void,
) {
  const alarm = createTimer()
  let cancelFrame: (() => void) | null = null
  let requested = false
  let resting = false

  function unschedule() {
    alarm.clear()
    cancelFrame?.()
    cancelFrame = null
    resting = false
  }

  function schedule() {
    if (page.isHidden()) alarm.set(hiddenPublishIntervalMs, run)
    else cancelFrame = page.requestFrame(run)
  }

  function run() {
    cancelFrame = null
    requested = false
    const startedMs = page.elapsedMs()
    publish()
    resting = true
    // The next task comes when what was published has been drawn.
    alarm.set(0, () => rest(page.elapsedMs() - startedMs))
  }

  function rest(drawingMs: number) {
    alarm.set(Math.max(publishPauseMs, Math.min(restPerDrawing * drawingMs, longestRestMs)), endRest)
  }

  function endRest() {
    resting = false
    if (requested) schedule()
  }

  function request() {
    if (requested) return
    requested = true
    if (!resting) schedule()
  }

  /**
   * A frame asked for before the page was hidden would come only when it is shown again. What came while it was hidden
   * is published before anything that comes now: the reader has seen none of it yet.
   */
  function visibilityChanged() {
    unschedule()
    if (!requested) return
    if (page.isHidden()) schedule()
    else run()
  }

  function stop() {
    unschedule()
    if (requested) publish()
    requested = false
  }

  return { request, visibilityChanged, stop }
}
