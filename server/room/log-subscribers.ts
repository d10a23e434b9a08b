import type { LogListener } from './message-log.ts'

/** The subscribers of a message log; calls each of them in the order of their subscriptions. */
export function createLogSubscribers(): LogListener & { subscribe: (listener: LogListener) => void } {
  const listeners: LogListener[] = []
  return {
    subscribe: (listener) => void listeners.push(listener),
    onStored(batch) {
      for (const listener of listeners) listener.onStored(batch)
    },
    onLogBroken(stand) {
      for (const listener of listeners) listener.onLogBroken(stand)
    },
  }
}
