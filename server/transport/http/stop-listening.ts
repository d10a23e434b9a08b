import type { Server } from 'node:http'
import { valueOr } from '../../base/with-deadline.ts'

/** Timeout for responses that are being sent, for example the last ones to polling clients. */
const maxLastResponsesMs = 1_000

/** Closes the listening socket and waits for the last responses. Call it after all connections of the room are closed. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<unknown>((resolve) => server.close(resolve))
  await valueOr(closed, maxLastResponsesMs, () => undefined)
}
