const everyMs = 3_600_000

/** Runs a sweep at once and then every hour. The first run lets a server sweep that restarts more often than that. */
export function sweepHourly(sweep: () => Promise<void>, onFailed: (error: unknown) => void): { stop: () => void } {
  const run = () => void sweep().catch(onFailed)
  run()
  const timer = setInterval(run, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
