// performance.now() counts from the start of its own process; senders and receivers are different processes and
// need one clock. CLOCK_MONOTONIC is shared by all of them.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Milliseconds on the machine's monotonic clock. */
export function nowMs(): number {
  return performance.now() + offsetMs
}
