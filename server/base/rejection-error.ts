import type { Rejection, RejectionCode } from '../../contract/rejections.ts'

/** Error of a rejected request. Each transport sends it in its own format. The user sees `message`. */
export class RejectionError<Code extends RejectionCode = RejectionCode> extends Error {
  override name = 'RejectionError'
  readonly code: Code
  readonly retryAfterMs: number | undefined

  constructor(code: Code, message: string, retryAfterMs?: number, cause?: unknown) {
    // Omit the stack trace: it does not describe the input and takes a fifth of the time during a flood.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  /** Returns whether the code is one of `codes`. Callers treat any other code as an unexpected error. */
  isOneOf<Allowed extends RejectionCode>(codes: readonly Allowed[]): this is RejectionError<Allowed> {
    return (codes as readonly RejectionCode[]).includes(this.code)
  }

  toRejection(): Rejection<Code> {
    const { code, message, retryAfterMs } = this
    return retryAfterMs === undefined ? { code, message } : { code, message, retryAfterMs }
  }
}
