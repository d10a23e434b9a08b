import { onTestFinished } from 'vitest'

/** Counts the timers set from now on that are neither cleared nor, when they ring once only, over. */
export function trackTimers(): () => number {
  const pending = new Set<unknown>()
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const cleared = (timer: unknown) => pending.delete(timer)

  Object.assign(globalThis, {
    setTimeout(ring: () => void, delayMs?: number) {
      const timer = setTimeout(() => {
        cleared(timer)
        ring()
      }, delayMs)
      pending.add(timer)
      return timer
    },
    clearTimeout(timer: NodeJS.Timeout | undefined) {
      cleared(timer)
      clearTimeout(timer)
    },
    setInterval(ring: () => void, delayMs?: number) {
      const timer = setInterval(ring, delayMs)
      pending.add(timer)
      return timer
    },
    clearInterval(timer: NodeJS.Timeout | undefined) {
      cleared(timer)
      clearInterval(timer)
    },
  })
  onTestFinished(() => void Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval }))
  return () => pending.size
}
