import { RejectionError } from './rejection-error.ts'

// Rejections that both transports use, with the same text and retry time.
const restartRetryMs = 1_000
const overloadRetryMs = 5_000

export const restarting = () => new RejectionError('unavailable', 'The server is restarting.', restartRetryMs)

export const overloaded = () =>
  new RejectionError('unavailable', 'The server is very busy. Please try again in a moment.', overloadRetryMs)

/** Text for an unexpected error, which the server logs. */
export const serverErrorText = 'Something went wrong on the server. Please try again later.'

/** Text of a rejection by the limits of the room, not of one sender. */
export const roomBusyText = 'The room is very busy. Please wait a moment.'

export const tooCostly = (retryAfterMs: number) =>
  new RejectionError('rate_limited', 'This address uses too much of the server.', retryAfterMs)

export const otherOrigin = () => new RejectionError('forbidden', 'This origin is not allowed.')
