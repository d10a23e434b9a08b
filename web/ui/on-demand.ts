import { useEffect, useSyncExternalStore } from 'react'
import { createCell } from '../connection/cell.ts'
import { UnreachableFileError } from './fetch-before-import.ts'

/** Delay before the loader repeats a fetch that failed because of the network or the server. */
const retryAfterMs = 2_000

/**
 * Delay before the loader repeats a fetch that failed for another reason. During an upgrade of several nodes, a node of
 * the earlier version does not have the file. The next request may reach a newer node.
 */
const retryMissingAfterMs = 30_000

/**
 * Whether some code could not be loaded, most likely because the page is of an earlier build whose files the server has
 * removed. Then only a reload helps. The page does not reload by itself, because a reload removes the messages from the
 * list.
 */
export const isCodeMissing = createCell(false)
/** The `fetch` of each loader whose code is missing. */
const missing = new Set<() => Promise<unknown>>()

/** Creates a loader for code that is fetched when it is first needed, not with the page. */
export function createOnDemand<T>(fetch: () => Promise<T>) {
  const fetched = createCell<T | null>(null)
  let hasStarted = false

  async function attempt() {
    try {
      fetched.set(await fetch())
      if (missing.delete(fetch)) isCodeMissing.set(missing.size > 0)
    } catch (error) {
      const isUnreachable = error instanceof UnreachableFileError
      setTimeout(() => void attempt(), isUnreachable ? retryAfterMs : retryMissingAfterMs)
      if (isUnreachable || missing.has(fetch)) return
      missing.add(fetch)
      console.error(error)
      isCodeMissing.set(true)
    }
  }

  function load() {
    if (hasStarted) return
    hasStarted = true
    void attempt()
  }

  /** Loads the code as soon as `isNeeded` is true. Returns the code, or `null` until it is loaded. */
  function useOnDemand(isNeeded: boolean): T | null {
    useEffect(() => {
      if (isNeeded) load()
    }, [isNeeded])
    return useSyncExternalStore(fetched.subscribe, fetched.get, () => null)
  }

  return { load, useOnDemand }
}
