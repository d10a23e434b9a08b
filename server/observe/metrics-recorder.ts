import type { createMetrics, serveMetrics } from './metrics.ts'

type Metrics = ReturnType<typeof createMetrics>

export type MetricsRecorder = Omit<Metrics, 'watchProcess' | 'read' | 'contentType'> & {
  /** Serves the metrics on this port. */
  serve: (port: number) => ReturnType<typeof serveMetrics>
}

const ignore = () => undefined

/** Recorder that records nothing. */
export const noMetrics: MetricsRecorder = {
  watch: ignore,
  batchStored: ignore,
  batchFannedOut: ignore,
  batchRejected: ignore,
  setStorageUp: ignore,
  setAccountsUp: ignore,
  slowConsumerClosed: ignore,
  requestRejected: ignore,
  serve: () => Promise.reject(new Error('Metrics are not recorded.')),
}

/**
 * Creates a recorder. The metrics library is loaded only if metrics are served: loading it takes a tenth of the
 * start-up time.
 */
export async function createMetricsRecorder(isServed: boolean): Promise<MetricsRecorder> {
  if (!isServed) return noMetrics
  const library = await import('./metrics.ts')
  const metrics = library.createMetrics()
  return { ...metrics, serve: (port) => library.serveMetrics(metrics, port) }
}
