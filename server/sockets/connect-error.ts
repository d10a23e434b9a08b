import { RefusalError } from '../refusal-error.ts'

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
export function connectError(error: unknown): Error {
  const refusal =
    error instanceof RefusalError ? error : new RefusalError('unavailable', 'Something went wrong on the server.')
  return Object.assign(new Error(refusal.code), { data: refusal.toRefusal() })
}
