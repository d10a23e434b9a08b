import { setTimeout as pause } from 'node:timers/promises'

const lookAgainMs = 20

interface Patience {
  withinMs?: number
  /** Ends the wait early, with the signal's reason. */
  signal?: AbortSignal
}

/** Waits for a state. Says which one, when it does not come. */
export async function waitFor(
  what: string,
  holds: () => boolean,
  { withinMs = 10_000, signal }: Patience = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    signal?.throwIfAborted()
    if (performance.now() > deadline) throw new Error(`waited ${Math.round(withinMs)} ms in vain for ${what}`)
    await pause(lookAgainMs)
  }
}
