import { onTestFinished } from 'vitest'

/** Returns a function that counts the pending timers set from now on. */
export function trackTimers(): () => number {
  const pending = new Set<unknown>()
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const remove = (timer: unknown) => pending.delete(timer)

  Object.assign(globalThis, {
    setTimeout(callback: () => void, delayMs?: number) {
      const timer = setTimeout(() => {
        remove(timer)
        callback()
      }, delayMs)
      pending.add(timer)
      return timer
    },
    clearTimeout(timer: NodeJS.Timeout | undefined) {
      remove(timer)
      clearTimeout(timer)
    },
    setInterval(callback: () => void, delayMs?: number) {
      const timer = setInterval(callback, delayMs)
      pending.add(timer)
      return timer
    },
    clearInterval(timer: NodeJS.Timeout | undefined) {
      remove(timer)
      clearInterval(timer)
    },
  })
  onTestFinished(() => void Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval }))
  return () => pending.size
}
