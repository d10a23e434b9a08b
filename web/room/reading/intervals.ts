/** Entry keys from `from` (inclusive) to `to` (exclusive). */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** Non-empty intervals in ascending order. No two of them touch. */
export type Intervals = readonly Interval[]

/** Returns the last run of consecutive keys in an ascending list. */
export function lastRun(keys: readonly number[]): Interval {
  let from = 0
  let to = 0
  for (const key of keys) {
    if (key !== to) from = key
    to = key + 1
  }
  return { from, to }
}

/** Adds an interval that starts at or after the end of the last one. */
export function append(intervals: Intervals, added: Interval): Intervals {
  if (added.from >= added.to) return intervals
  const last = intervals.at(-1)
  if (last?.to !== added.from) return [...intervals, added]
  return [...intervals.slice(0, -1), { from: last.from, to: added.to }]
}

export function subtract(intervals: Intervals, removed: Interval): Intervals {
  if (removed.from >= removed.to) return intervals
  if (intervals.every(({ from, to }) => to <= removed.from || from >= removed.to)) return intervals
  return intervals
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, removed.from) },
      { from: Math.max(from, removed.to), to },
    ])
    .filter(({ from, to }) => from < to)
}
