/**
 * How long to wait before another attempt, after `failures` in a row. Full jitter: anything from nothing to the limit,
 * so that a restart does not bring everyone back at the same moment, however long it took.
 */
export function backOffDelayMs(
  failures: number,
  random: number,
  { baseMs, capMs }: { baseMs: number; capMs: number },
): number {
  return random * Math.min(capMs, baseMs * 2 ** failures)
}
