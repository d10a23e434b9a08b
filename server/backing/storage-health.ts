/** While storage is away it is asked this often whether it is back, whoever else asks. */
const recheckMs = 500

interface HealthHooks {
  onFailed?: ((error: unknown) => void) | undefined
  onRecovered?: (() => void) | undefined
}

/** Whether storage works: each change is told once, and a recovery is noticed although nobody sends or asks. */
export function createStorageHealth(check: () => Promise<void>, { onFailed, onRecovered }: HealthHooks) {
  let failed = false
  let checking: Promise<boolean> | null = null
  let timer: NodeJS.Timeout | undefined

  function note(error: unknown): void {
    if (error !== null && !failed) onFailed?.(error)
    if (error === null && failed) onRecovered?.()
    failed = error !== null
    clearTimeout(timer)
    if (failed) timer = setTimeout(() => void isWell(), recheckMs).unref()
  }

  async function checkNow(): Promise<boolean> {
    try {
      await check()
      note(null)
      return true
    } catch (error) {
      note(error)
      return false
    }
  }

  /** Each check writes to the disk: those who ask at the same time share one. */
  function isWell(): Promise<boolean> {
    checking ??= checkNow().finally(() => (checking = null))
    return checking
  }

  return { note, isWell, hasFailed: () => failed, stop: () => clearTimeout(timer) }
}
