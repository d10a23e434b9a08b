/** Interval of the checks while storage is unavailable. */
const recheckMs = 500

interface HealthHooks {
  onFailed: (error: unknown) => void
  onRecovered: () => void
}

/** Result of the last check or call. `error` is the error of the newest failure. */
type StorageState = { kind: 'available' } | { kind: 'unavailable'; error: unknown; recheck: NodeJS.Timeout | undefined }

const available: StorageState = { kind: 'available' }

/** Tracks whether storage works. Reports each change once, and detects a recovery without any request. */
export function createStorageHealth(check: () => Promise<void>, { onFailed, onRecovered }: HealthHooks) {
  let state = available
  let checking: Promise<boolean> | null = null
  let isStopped = false

  /** Records a failure, whatever the error is: a library may reject with `null`. */
  function noteFailure(error: unknown): void {
    if (state.kind === 'available') onFailed(error)
    cancelRecheck()
    // A check that was in progress can fail after `stop`.
    const recheck = isStopped ? undefined : setTimeout(() => void isHealthy(), recheckMs).unref()
    state = { kind: 'unavailable', error, recheck }
  }

  function noteSuccess(): void {
    if (state.kind === 'available') return
    cancelRecheck()
    state = available
    onRecovered()
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

  /**
   * Checks the storage and resolves to whether it works. Concurrent callers share one check, because a check can write
   * to the disk.
   */
  function isHealthy(): Promise<boolean> {
    checking ??= checkNow().finally(() => (checking = null))
    return checking
  }

  function cancelRecheck(): void {
    if (state.kind === 'unavailable') clearTimeout(state.recheck)
  }

  function stop(): void {
    isStopped = true
    cancelRecheck()
  }

  return { noteFailure, noteSuccess, isHealthy, state: () => state, stop }
}

export type StorageHealth = ReturnType<typeof createStorageHealth>
