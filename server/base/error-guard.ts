type Callback<This, Args extends unknown[]> = (this: This, ...args: Args) => void

/** Events that a guard reports: a callback threw, or closing its connection failed. */
export type GuardEvent =
  | { type: 'callback-failed'; callback: string; error: unknown }
  | { type: 'close-failed'; callback: string; error: unknown }

/**
 * Creates a guard for callbacks that a library calls on behalf of a client. The libraries do not catch errors of
 * callbacks: without the guard, one unexpected request would end the process and close all connections.
 */
export function createGuard(report: (event: GuardEvent) => void) {
  /** Reports the error and closes the connection that it happened on. */
  function closeAfterError(error: unknown, callbackName: string, closeConnection: () => void): void {
    report({ type: 'callback-failed', callback: callbackName, error })
    try {
      closeConnection()
    } catch (closeError) {
      report({ type: 'close-failed', callback: callbackName, error: closeError })
    }
  }

  return {
    closeAfterError,
    /**
     * Returns a callback that catches errors: it reports the error and calls `closeConnection`, with the same arguments,
     * to close the client's connection.
     */
    wrap<This, Args extends unknown[]>(
      callbackName: string,
      callback: Callback<This, Args>,
      closeConnection: Callback<This, Args>,
    ): Callback<This, Args> {
      return function guarded(this: This, ...args: Args): void {
        try {
          callback.apply(this, args)
        } catch (error) {
          closeAfterError(error, callbackName, () => closeConnection.apply(this, args))
        }
      }
    },
  }
}

export type Guard = ReturnType<typeof createGuard>
