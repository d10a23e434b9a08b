import { useEffect, useSyncExternalStore } from 'react'

/** A network that was away for a moment is no reason to do without. */
const retryAfterMs = 2_000

/** Code that does not come with the page, but when it is wanted. */
export function createOnDemand<T>(fetch: () => Promise<T>) {
  let fetched: T | null = null
  let isUnderWay = false
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
    if (isUnderWay) return
    isUnderWay = true
    void attempt()
  }

  function subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** `null` until it is there. */
  function useOnDemand(isWanted: boolean): T | null {
    useEffect(() => {
      if (isWanted) load()
    }, [isWanted])
    return useSyncExternalStore(
      subscribe,
      () => fetched,
      () => null,
    )
  }

  return { load, useOnDemand }
}
