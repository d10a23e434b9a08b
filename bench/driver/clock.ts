// performance.now() starts at 0 in each process. Senders and receivers are different processes and compare times,
// so both use CLOCK_MONOTONIC.
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Returns milliseconds on the machine's monotonic clock. */
export function nowMs(): number {
  return performance.now() + offsetMs
}
