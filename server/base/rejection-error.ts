import type { Rejection, RejectionCode } from '../../contract/rejections.ts'

/** A request that the rules turn down; the transports turn it into their refusal. `message` is shown to the user. */
export class RejectionError<Code extends RejectionCode = RejectionCode> extends Error {
  override name = 'RejectionError'
  readonly code: Code
  readonly retryAfterMs: number | undefined

  constructor(code: Code, message: string, retryAfterMs?: number, cause?: unknown) {
    // A refusal says where the input is wrong, not the code; under a flood the stack would be a fifth of its cost.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  /** Each transport has a closed list of codes; another one's code is for it an error like any other. */
  isOneOf<Allowed extends RejectionCode>(codes: readonly Allowed[]): this is RejectionError<Allowed> {
    return (codes as readonly RejectionCode[]).includes(this.code)
  }

  toRejection(): Rejection<Code> {
    const { code, message, retryAfterMs } = this
    return retryAfterMs === undefined ? { code, message } : { code, message, retryAfterMs }
  }
}
