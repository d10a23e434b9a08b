const everyMs = 3_600_000
/** Time until the retry of a failed sweep. */
const retryMs = 60_000

/**
 * Runs a sweep at once and then every hour, and retries a failed one. Because of the first run, a server that restarts
 * every few minutes sweeps too.
 */
export function sweepHourly(sweep: () => Promise<void>, onFailed: (error: unknown) => void): { stop: () => void } {
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  function run(): void {
    void sweep().catch((error: unknown) => {
      if (isStopped) return
      clearTimeout(retry)
      retry = setTimeout(run, retryMs).unref()
      onFailed(error)
    })
  }
  run()
  const timer = setInterval(run, everyMs).unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(retry)
    },
  }
}
