import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout for writing the last lines of the log, so that an output that blocks does not delay the exit for long. */
export const logFlushTimeoutMs = 250

/**
 * Kills this process with SIGKILL, after a delay in which the log is written. `process.exit` would wait for every
 * thread: if a thread hung in a system call, the process would keep its port and its lock forever.
 */
export async function killProcess(): Promise<void> {
  await sleep(logFlushTimeoutMs)
  process.kill(process.pid, 'SIGKILL')
}
