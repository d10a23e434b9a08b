import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageLog } from '../message-log.ts'
import type { RequestedPosition } from './subscriber.ts'

/** After this time it is sent away, to try another node. */
const patienceMs = 10_000
const askAgainMs = 200

/**
 * Where somebody begins who names no place, found before it is told that it is connected: what is stored later it is
 * owed, and what was stored before another node may have shown it. `null` when the log cannot be asked.
 */
export async function findNewcomerPosition(
  log: Pick<MessageLog, 'fetchHead'>,
  isWaiting: () => boolean,
): Promise<RequestedPosition | null> {
  const giveUpAtMs = performance.now() + patienceMs
  while (isWaiting() && performance.now() < giveUpAtMs) {
    try {
      return (await log.fetchHead()) ?? 'head'
    } catch {
      // Its health is watched and told elsewhere.
      await sleep(askAgainMs)
    }
  }
  return null
}
