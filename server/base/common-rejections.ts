import { RejectionError } from './rejection-error.ts'

// Rejections and texts that more than one module uses.
const restartRetryMs = 1_000
const overloadRetryMs = 5_000

export const restarting = () => new RejectionError('unavailable', 'The server is restarting.', restartRetryMs)

export const overloaded = () =>
  new RejectionError('unavailable', 'The server is very busy. Please try again in a moment.', overloadRetryMs)

/** Text for an unexpected error, which the server logs. */
export const serverErrorText = 'Something went wrong on the server. Please try again later.'

/** Text of a rejection that is due to the load of the room, not to the rate of one sender. */
export const roomBusyText = 'The room is very busy. Please wait a moment.'

export const tooCostly = (retryAfterMs: number) =>
  new RejectionError('rate_limited', 'This address uses too much of the server. Please try again later.', retryAfterMs)

export const otherOrigin = () => new RejectionError('forbidden', 'This origin is not allowed.')
