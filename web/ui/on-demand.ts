import { useEffect, useSyncExternalStore } from 'react'

/**
 * Delay before the loader repeats a failed fetch. The loader repeats the fetch without limit: the network may be back
 * at any time.
 */
const retryAfterMs = 2_000

/** Creates a loader for code that is fetched when it is first needed, not with the page. */
export function createOnDemand<T>(fetch: () => Promise<T>) {
  let fetched: T | null = null
  let hasStarted = false
  const listeners = new Set<() => void>()

  async function attempt() {
    try {
      fetched = await fetch()
      for (const listener of listeners) listener()
    } catch (error) {
      console.error(error)
      window.setTimeout(() => void attempt(), retryAfterMs)
    }
  }

  function load() {
    if (hasStarted) return
    hasStarted = true
    void attempt()
  }

  function subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Loads the code as soon as `isNeeded` is true. Returns the code, or `null` until it is loaded. */
  function useOnDemand(isNeeded: boolean): T | null {
    useEffect(() => {
      if (isNeeded) load()
    }, [isNeeded])
    return useSyncExternalStore(
      subscribe,
      () => fetched,
      () => null,
    )
  }

  return { load, useOnDemand }
}
