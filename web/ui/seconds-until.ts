import { useEffect, useState } from 'react'

/**
 * Returns the seconds until `atMs` on the monotonic clock (`performance.now`), rounded up; 0 after that time or without
 * a time.
 */
export function useSecondsUntil(atMs: number | null): number {
  const [nowMs, setNowMs] = useState<number | null>(null)
  useEffect(() => {
    if (atMs === null) return
    const tick = () => {
      const currentMs = performance.now()
      setNowMs(currentMs)
      if (currentMs >= atMs) window.clearInterval(timer)
    }
    const timer = window.setInterval(tick, 250)
    tick()
    return () => window.clearInterval(timer)
  }, [atMs])
  if (atMs === null || nowMs === null) return 0
  return Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}
