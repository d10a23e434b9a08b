import type { Logger } from 'pino'

type Callback<This, Args extends unknown[]> = (this: This, ...args: Args) => void

/**
 * Every callback that a library calls on behalf of a client goes through this guard. A library has nobody to catch what
 * we throw: without it, one odd request ends the process, and with it everybody's connection.
 */
export function createGuard(log: Logger) {
  /** What failed is logged, and the connection that it happened on is ended. */
  function endAfter(error: unknown, callbackName: string, endConnection: () => void): void {
    log.error({ err: error, callback: callbackName }, 'a callback failed; its connection is closed')
    try {
      endConnection()
    } catch (endError) {
      log.error({ err: endError, callback: callbackName }, 'a connection could not be ended')
    }
  }

  return {
    endAfter,
    /** `endConnection` gets the same arguments, and ends what belongs to that one client. */
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
