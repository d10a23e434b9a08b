import { setTimeout as pause } from 'node:timers/promises'

const pollIntervalMs = 20

interface WaitOptions {
  timeoutMs?: number
  /** Signal that ends the wait early. The promise then rejects with the reason of the signal. */
  signal?: AbortSignal
}

/** Waits until the condition is true. After the timeout, throws an error that names the awaited state. */
export async function waitFor(
  what: string,
  condition: () => boolean,
  { timeoutMs = 10_000, signal }: WaitOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    signal?.throwIfAborted()
    if (performance.now() > deadline) throw new Error(`timed out after ${Math.round(timeoutMs)} ms waiting for ${what}`)
    await pause(pollIntervalMs)
  }
}
