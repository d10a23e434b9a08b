import { setTimeout as pause } from 'node:timers/promises'

const lookAgainMs = 20

interface WaitOptions {
  timeoutMs?: number
  /** Ends the wait early, with the signal's reason. */
  signal?: AbortSignal
}

/** Waits for a state. Says which one, when it does not come. */
export async function waitFor(
  what: string,
  condition: () => boolean,
  { timeoutMs = 10_000, signal }: WaitOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    signal?.throwIfAborted()
    if (performance.now() > deadline) throw new Error(`waited ${Math.round(timeoutMs)} ms in vain for ${what}`)
    await pause(lookAgainMs)
  }
}
