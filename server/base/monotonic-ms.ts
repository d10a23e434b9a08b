/** Returns whole milliseconds of a clock that cannot be set, for waits and rates. Threads do not share its zero. */
export const monotonicMs = (): number => Math.floor(performance.now())
