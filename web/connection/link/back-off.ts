/**
 * Returns the delay before the next attempt, after `failures` consecutive failures. The jitter is full, also at the cap:
 * after a server restart, clients reconnect spread over the whole range.
 */
export function backOffDelayMs(
  failures: number,
  random: number,
  { baseMs, capMs }: { baseMs: number; capMs: number },
): number {
  return random * Math.min(capMs, baseMs * 2 ** failures)
}
