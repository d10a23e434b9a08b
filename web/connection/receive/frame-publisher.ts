import { createTimer } from '../link/timer.ts'
import type { Page } from '../link/browser-page.ts'
import type { Timing } from '../timing.ts'

/**
 * Pause after an update, as a multiple of its rendering time. Up to the maximum pause, rendering takes at most a fifth
 * of the time.
 */
const pausePerRendering = 4
/** Maximum pause. With longer pauses the list would seem frozen on a slow device. */
const maxPauseMs = 500

/**
 * Creates a publisher that calls `publish` in the next animation frame after a request. It then pauses for at least
 * `publishPauseMs`, longer after a slow rendering. The page thus stays responsive at any message rate and on slow
 * devices. A hidden page gets no frames: there the publisher uses a timer.
 */
export function createFramePublisher(
  page: Page,
  { publishPauseMs, hiddenPublishIntervalMs }: Pick<Timing, 'publishPauseMs' | 'hiddenPublishIntervalMs'>,
  publish: () => void,
) {
  const timer = createTimer()
  let cancelFrame: (() => void) | null = null
  let isRequested = false
  let isPaused = false

  function unschedule() {
    timer.clear()
    cancelFrame?.()
    cancelFrame = null
    isPaused = false
  }

  function schedule() {
    if (page.isHidden()) timer.set(hiddenPublishIntervalMs, run)
    else cancelFrame = page.requestFrame(run)
  }

  function run() {
    cancelFrame = null
    isRequested = false
    const startedMs = page.elapsedMs()
    publish()
    isPaused = true
    // The next task runs after the browser has rendered the update.
    timer.set(0, () => pause(page.elapsedMs() - startedMs))
  }

  function pause(renderingMs: number) {
    timer.set(Math.max(publishPauseMs, Math.min(pausePerRendering * renderingMs, maxPauseMs)), endPause)
  }

  function endPause() {
    isPaused = false
    if (isRequested) schedule()
  }

  function request() {
    if (isRequested) return
    isRequested = true
    if (!isPaused) schedule()
  }

  /**
   * Switches between frames and timer. A frame requested before the page was hidden would run only when the page is
   * visible again. When the page becomes visible, the publisher publishes pending changes at once.
   */
  function handleVisibilityChange() {
    unschedule()
    if (!isRequested) return
    if (page.isHidden()) schedule()
    else run()
  }

  function stop() {
    unschedule()
    if (isRequested) publish()
    isRequested = false
  }

  return { request, handleVisibilityChange, stop }
}
