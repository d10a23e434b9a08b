import { setTimeout as wait } from 'node:timers/promises'
import { nowMs } from './clock.ts'
import { type Connection, type ConnectionEvents, type Endpoint, isTurnedAway, openConnection } from './connection.ts'

const retryAfterMs = 300
const givenUpAfterMs = 60_000

/**
 * Tries again when a busy server turns the connection away, as a real client does. Each time is counted: it is part of
 * the result that a server sheds load.
 */
export async function openPersistently(
  index: number,
  endpoint: Endpoint,
  events: ConnectionEvents,
  onTurnedAway: () => void,
): Promise<Connection> {
  const deadlineMs = nowMs() + givenUpAfterMs
  for (;;) {
    try {
      return await openConnection(index, endpoint, events)
    } catch (error) {
      if (!isTurnedAway(error) || nowMs() > deadlineMs) throw error
      onTurnedAway()
      await wait(retryAfterMs)
    }
  }
}
