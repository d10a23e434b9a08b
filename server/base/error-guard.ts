type Callback<This, Args extends unknown[]> = (this: This, ...args: Args) => void

/** What a guard reports: a callback threw, or the connection of such a callback could not be closed. */
export type GuardEvent =
  | { type: 'callback-failed'; callback: string; error: unknown }
  | { type: 'close-failed'; callback: string; error: unknown }

/**
 * Guards every callback that a library calls on behalf of a client. The library does not catch what a callback throws:
 * without the guard, one unexpected request would end the process and close all connections.
 */
export function createGuard(report: (event: GuardEvent) => void) {
  /** Reports the error and closes the connection that it happened on. */
  function endAfter(error: unknown, callbackName: string, endConnection: () => void): void {
    report({ type: 'callback-failed', callback: callbackName, error })
    try {
      endConnection()
    } catch (endError) {
      report({ type: 'close-failed', callback: callbackName, error: endError })
    }
  }

  return {
    endAfter,
    /** Wraps a callback. `endConnection` gets the same arguments and closes what belongs to that client. */
    wrap<This, Args extends unknown[]>(
      callbackName: string,
      callback: Callback<This, Args>,
      endConnection: Callback<This, Args>,
    ): Callback<This, Args> {
      return function guarded(this: This, ...args: Args): void {
        try {
          callback.apply(this, args)
        } catch (error) {
          endAfter(error, callbackName, () => endConnection.apply(this, args))
        }
      }
    },
  }
}

export type Guard = ReturnType<typeof createGuard>
