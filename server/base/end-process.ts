import { setTimeout as sleep } from 'node:timers/promises'

/** For the last lines of the log; a disk that is full or a reader that does not read holds up the end no longer. */
export const lastWordsMs = 250

/**
 * For when a thread hangs in a system call: `process.exit` waits for every thread, so a disk that never answers would
 * keep the process, its port and its lock for ever.
 */
export async function endByForce(): Promise<void> {
  await sleep(lastWordsMs)
  process.kill(process.pid, 'SIGKILL')
}
