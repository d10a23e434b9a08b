export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Median and range of the runs. */
export interface Summary {
  median: number
  min: number
  max: number
  runs: number
}

export function summarize(values: number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), runs: values.length }
}

/** Returns the least-squares slope of log y over log x. 1 means that y is proportional to x. */
export function logSlope(points: { x: number; y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const meanX = logs.reduce((sum, { x }) => sum + x, 0) / logs.length
  const meanY = logs.reduce((sum, { y }) => sum + y, 0) / logs.length
  const covariance = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const variance = logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  return covariance / variance
}

/** Adds up histograms with the same bucket width. */
export function mergeBuckets(histograms: Record<string, number>[]): Map<number, number> {
  const merged = new Map<number, number>()
  for (const histogram of histograms) {
    for (const [bucket, count] of Object.entries(histogram)) {
      merged.set(Number(bucket), (merged.get(Number(bucket)) ?? 0) + count)
    }
  }
  return merged
}

/** Returns the upper edge of the bucket that contains the percentile, or NaN for an empty histogram. */
export function percentile(buckets: Map<number, number>, share: number, bucketWidth: number): number {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b)
  const wanted = share * sorted.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [bucket, count] of sorted) {
    seen += count
    if (seen >= wanted) return (bucket + 1) * bucketWidth
  }
  return Number.NaN
}
