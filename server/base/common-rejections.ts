import { RejectionError } from './rejection-error.ts'

// What is refused at more than one door is refused in the same words, with the same time to come back.
const restartRetryMs = 1_000
const overloadRetryMs = 5_000

export const restarting = () => new RejectionError('unavailable', 'The server is restarting.', restartRetryMs)

export const overloaded = () =>
  new RejectionError('unavailable', 'The server is very busy. Please try again in a moment.', overloadRetryMs)

export const otherOrigin = () => new RejectionError('forbidden', 'This origin is not allowed.')
