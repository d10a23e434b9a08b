import { useEffect, useSyncExternalStore } from 'react'
import { createCell } from '../connection/cell.ts'
import { UnreachableFileError } from './fetch-before-import.ts'

/**
 * Delay before the loader repeats a fetch that the network or the server failed. The loader repeats the fetch without
 * limit: the network may be back at any time.
 */
const retryAfterMs = 2_000

/**
 * Whether some code cannot be loaded, most likely because the page is of an earlier build whose files the server has
 * removed. Only a reload helps. The page does not reload by itself, because a reload removes the messages from the list.
 */
export const isCodeMissing = createCell(false)

/** Creates a loader for code that is fetched when it is first needed, not with the page. */
export function createOnDemand<T>(fetch: () => Promise<T>) {
  const fetched = createCell<T | null>(null)
  let hasStarted = false

  async function attempt() {
    try {
      fetched.set(await fetch())
    } catch (error) {
      if (error instanceof UnreachableFileError) {
        setTimeout(() => void attempt(), retryAfterMs)
        return
      }
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
