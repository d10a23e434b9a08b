import { type RefObject, useCallback, useEffect, useRef } from 'react'

export interface PageVisibility {
  /** Returns whether the page is visible and has rendered the entries that arrived while it was hidden. */
  readonly isPageVisible: () => boolean
  readonly isResuming: RefObject<boolean>
}

export function usePageVisibility(): PageVisibility {
  const isResuming = useRef(false)
  const isPageVisible = useCallback(() => document.visibilityState === 'visible' && !isResuming.current, [])
  return { isPageVisible, isResuming }
}

/** Calls `onResume` when the page is visible again and has rendered and measured the entries that arrived meanwhile. */
export function usePageResume(isResuming: RefObject<boolean>, onResume: () => void): void {
  useEffect(() => {
    let frame = 0
    const onVisibilityChange = () => {
      cancelAnimationFrame(frame)
      isResuming.current = true
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          isResuming.current = false
          onResume()
        })
      })
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => {
      cancelAnimationFrame(frame)
      isResuming.current = false
      document.removeEventListener('visibilitychange', onVisibilityChange)
    }
  }, [isResuming, onResume])
}
