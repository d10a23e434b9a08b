/** Interval of the checks while storage is unavailable. */
const recheckMs = 500

interface HealthHooks {
  onFailed: (error: unknown) => void
  onRecovered: () => void
}

/** Tracks whether storage works. Reports each change once, and finds a recovery without any request. */
export function createStorageHealth(check: () => Promise<void>, { onFailed, onRecovered }: HealthHooks) {
  let failed = false
  let checking: Promise<boolean> | null = null
  let timer: NodeJS.Timeout | undefined

  /** Counts as a failure whatever the error is: a library may reject with `null`. */
  function noteFailure(error: unknown): void {
    if (!failed) onFailed(error)
    failed = true
    clearTimeout(timer)
    timer = setTimeout(() => void isHealthy(), recheckMs).unref()
  }

  function noteSuccess(): void {
    if (failed) onRecovered()
    failed = false
    clearTimeout(timer)
  }

  async function checkNow(): Promise<boolean> {
    try {
      await check()
      noteSuccess()
      return true
    } catch (error) {
      noteFailure(error)
      return false
    }
  }

  /** Concurrent callers share one check, because each check writes to the disk. */
  function isHealthy(): Promise<boolean> {
    checking ??= checkNow().finally(() => (checking = null))
    return checking
  }

  return { noteFailure, noteSuccess, isHealthy, hasFailed: () => failed, stop: () => clearTimeout(timer) }
}
