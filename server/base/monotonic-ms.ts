/** Returns whole milliseconds of a clock that cannot be set, for waits and rates. */
export const monotonicMs = (): number => Math.floor(performance.now())
