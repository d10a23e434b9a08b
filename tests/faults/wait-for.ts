import { setTimeout as pause } from 'node:timers/promises'

const lookAgainMs = 20

/** Waits for a state. Says which one, when it does not come. */
export async function waitFor(what: string, holds: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for ${what}`)
    await pause(lookAgainMs)
  }
}
