/**
 * For when a storage thread hangs in a system call: `process.exit` waits for every thread, so a disk that never answers
 * would keep the process, its port and its lock for ever.
 */
export function endByForce(): void {
  process.kill(process.pid, 'SIGKILL')
}
