import { useEffect, useState } from 'react'

/** Whole seconds until `atMs` on `performance`'s clock, which nobody sets; 0 when there is nothing to wait for. */
export function useSecondsUntil(atMs: number | null): number {
  const [nowMs, setNowMs] = useState<number | null>(null)
  useEffect(() => {
    if (atMs === null) return
    const tick = () => setNowMs(performance.now())
    tick()
    const timer = window.setInterval(tick, 250)
    return () => window.clearInterval(timer)
  }, [atMs])
  if (atMs === null || nowMs === null) return 0
  return Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}
