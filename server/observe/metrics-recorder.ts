import type { createMetrics, serveMetrics } from './metrics.ts'

type Metrics = ReturnType<typeof createMetrics>

/** What the parts of the server count. */
type Counting = Omit<Metrics, 'watchProcess' | 'read' | 'contentType'> & {
  /** Shows the figures on this port. */
  serve: (port: number) => ReturnType<typeof serveMetrics>
}

const nothing = () => undefined

/** Counts where somebody can look: the library that does it takes a tenth of a start. */
export async function createCounting(
  isShown: boolean,
  sources: Parameters<typeof createMetrics>[0],
): Promise<Counting> {
  if (!isShown) {
    const serve = () => Promise.reject(new Error('Nothing was counted.'))
    return {
      flushed: nothing,
      fannedOut: nothing,
      storeFailed: nothing,
      storageIs: nothing,
      accountsAre: nothing,
      letGo: nothing,
      refused: nothing,
      serve,
    }
  }
  const library = await import('./metrics.ts')
  const metrics = library.createMetrics(sources)
  return { ...metrics, serve: (port) => library.serveMetrics(metrics, port) }
}
