const everyMs = 3_600_000

/**
 * Runs a sweep at once and then every hour. Because of the first run, a server that restarts every few minutes sweeps
 * too.
 */
export function sweepHourly(sweep: () => Promise<void>, onFailed: (error: unknown) => void): { stop: () => void } {
  let isStopped = false
  function run(): void {
    void sweep().catch((error: unknown) => {
      if (!isStopped) onFailed(error)
    })
  }
  run()
  const timer = setInterval(run, everyMs).unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
