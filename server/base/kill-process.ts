import { setTimeout as sleep } from 'node:timers/promises'

/** For the last lines of the log; a disk that is full or a reader that does not read holds up the end no longer. */
export const logFlushTimeoutMs = 250

/**
 * For when a thread hangs in a system call: `process.exit` waits for every thread, so a disk that never answers would
 * keep the process, its port and its lock for ever.
 */
export async function killProcess(): Promise<void> {
  await sleep(logFlushTimeoutMs)
  process.kill(process.pid, 'SIGKILL')
}
