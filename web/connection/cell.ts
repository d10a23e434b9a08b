export interface Readable<T> {
  readonly get: () => T
  readonly subscribe: (listener: () => void) => () => void
}

export interface Cell<T> extends Readable<T> {
  readonly set: (value: T) => void
}

/** Creates an observable value for `useSyncExternalStore`. */
export function createCell<T>(initial: T): Cell<T> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
