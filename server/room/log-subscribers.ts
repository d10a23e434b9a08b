import type { LogListener } from './message-log.ts'

/** Forwards the events of a message log to its listeners, in the order in which they subscribed. */
export function createLogSubscribers(): LogListener & { subscribe: (listener: LogListener) => void } {
  const listeners: LogListener[] = []
  return {
    subscribe: (listener) => void listeners.push(listener),
    onStored(batch) {
      for (const listener of listeners) listener.onStored(batch)
    },
    onRemoved(removal) {
      for (const listener of listeners) listener.onRemoved(removal)
    },
    onLogBroken(bounds) {
      for (const listener of listeners) listener.onLogBroken(bounds)
    },
  }
}
