import { type RefObject, useCallback, useEffect, useRef } from 'react'

export interface Watched {
  /** Whether somebody may be watching: the page is shown, and what came while it was hidden has been drawn. */
  readonly isWatched: () => boolean
  readonly isReturning: RefObject<boolean>
}

export function useWatched(): Watched {
  const isReturning = useRef(false)
  const isWatched = useCallback(() => document.visibilityState === 'visible' && !isReturning.current, [])
  return { isWatched, isReturning }
}

/** Calls `onReturn` when the page is shown again, once what came meanwhile has been drawn and measured. */
export function useReturn(isReturning: RefObject<boolean>, onReturn: () => void): void {
  useEffect(() => {
    let frame = 0
    const visibilityChanged = () => {
      cancelAnimationFrame(frame)
      isReturning.current = true
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          isReturning.current = false
          onReturn()
        })
      })
    }
    document.addEventListener('visibilitychange', visibilityChanged)
    return () => {
      cancelAnimationFrame(frame)
      isReturning.current = false
      document.removeEventListener('visibilitychange', visibilityChanged)
    }
  }, [isReturning, onReturn])
}
