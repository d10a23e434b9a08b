import type { LogListener } from './message-log.ts'

/** The subscribers of a message log; calls each of them in the order of their subscriptions. */
export function createLogSubscribers(): LogListener & { subscribe: (listener: LogListener) => void } {
  const listeners: LogListener[] = []
  return {
    subscribe: (listener) => void listeners.push(listener),
    stored(batch) {
      for (const listener of listeners) listener.stored(batch)
    },
    broken(stand) {
      for (const listener of listeners) listener.broken(stand)
    },
  }
}
