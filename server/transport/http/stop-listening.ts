import type { Server } from 'node:http'

/** Timeout for responses that are being sent, for example the last ones to polling clients. */
const maxLastResponsesMs = 1_000

/** Closes the listener. Call it after all connections of the room are closed. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, maxLastResponsesMs)
  await Promise.race([closed, late])
  clearTimeout(timer)
}
