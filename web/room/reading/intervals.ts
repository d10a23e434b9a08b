/** Keys of the list from `from` up to, not including, `to`. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** In order, none empty, none touching another. */
export type Intervals = readonly Interval[]

/** Adds what lies behind all that is there. */
export function append(intervals: Intervals, added: Interval): Intervals {
  if (added.from >= added.to) return intervals
  const last = intervals.at(-1)
  if (last?.to !== added.from) return [...intervals, added]
  return [...intervals.slice(0, -1), { from: last.from, to: added.to }]
}

export function subtract(intervals: Intervals, taken: Interval): Intervals {
  if (taken.from >= taken.to) return intervals
  if (intervals.every(({ from, to }) => to <= taken.from || from >= taken.to)) return intervals
  return intervals
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, taken.from) },
      { from: Math.max(from, taken.to), to },
    ])
    .filter(({ from, to }) => from < to)
}
