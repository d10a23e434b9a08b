import { Refused } from '../refused.ts'

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
export function connectError(error: unknown): Error {
  const refusal = error instanceof Refused ? error : new Refused('unavailable', 'Something went wrong on the server.')
  return Object.assign(new Error(refusal.code), { data: refusal.toRefusal() })
}
