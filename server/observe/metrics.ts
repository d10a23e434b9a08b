import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricsHost, metricsPath } from '../../contract/routes.ts'
import { rejectionReasons, slowConsumerReasons } from './reasons.ts'
import { StartError } from '../base/start-error.ts'

/** Sources that the metrics read when they are collected. */
interface Sources {
  connections: () => number
  /**
   * Returns the number of connections that receive messages. A page has one such connection, and another one for the
   * list of online users.
   */
  pages: () => number
  databaseFiles: Readonly<Record<string, string>>
  /** Checks whether messages can be stored. `setStorageUp` records a change. */
  checkStorage: () => Promise<unknown>
}

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Creates the metrics. The gauges of connections and pages are 0 until `watch` registers their sources. */
export function createMetrics() {
  const sources: Partial<Sources> = {}
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({ name, help, collect: () => made.set(read()), registers })
  }
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  /**
   * Creates a counter with a `reason` label. Each reason starts at 0, so that 'never happened' differs from 'not counted'.
   */
  const countedByReason = <Reason extends string>(name: string, help: string, reasons: readonly Reason[]) => {
    const made = new Counter({ name, help, labelNames: ['reason'], registers })
    for (const reason of reasons) made.inc({ reason }, 0)
    return (reason: Reason) => made.inc({ reason })
  }
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets: latencyBuckets, registers })

  gauge('chat_connections', 'Open connections.', () => sources.connections?.() ?? 0)
  gauge(
    'chat_pages',
    'Open connections that receive messages: one for each page or client.',
    () => sources.pages?.() ?? 0,
  )
  const databaseBytes: Gauge<'database'> = new Gauge({
    name: 'chat_database_bytes',
    help: 'Size of a database on the disk, with its write-ahead log.',
    labelNames: ['database'],
    async collect() {
      for (const [database, file] of Object.entries(sources.databaseFiles ?? {})) {
        databaseBytes.set({ database }, await sizeOnDisk(file))
      }
    },
    registers,
  })
  const messages = counter('chat_messages_total', 'Messages stored, each counted once.')
  const storeSeconds = histogram('chat_store_seconds', 'Time to store a batch of messages, until it is durable.')
  const fanOutSeconds = histogram('chat_fanout_seconds', 'Time to write a stored batch to all connections.')
  const storeFailures = counter(
    'chat_store_failures_total',
    'Batches of messages that could not be stored, or not in time.',
  )
  const slowConsumerClosed = countedByReason(
    'chat_slow_readers_total',
    'Connections closed as slow consumers.',
    slowConsumerReasons,
  )
  const requestRejected = countedByReason(
    'chat_refused_total',
    'Rejected messages, connections and requests.',
    rejectionReasons,
  )
  // The metric checks the storage when it is collected: without messages, an outage could stay undetected.
  const storage = new Gauge({
    name: 'chat_storage_up',
    help: '1 while messages can be stored.',
    async collect() {
      await sources.checkStorage?.()
    },
    registers,
  })
  storage.set(1)
  const accounts = new Gauge({ name: 'chat_accounts_up', help: '1 while accounts can be reached.', registers })
  accounts.set(1)

  return {
    /** Registers sources. Each module calls `watch` when its own sources exist. */
    watch: (more: Partial<Sources>): void => void Object.assign(sources, more),
    batchStored(newMessages: number, storeMs: number): void {
      messages.inc(newMessages)
      storeSeconds.observe(storeMs / 1_000)
    },
    batchFannedOut: (fanOutMs: number) => fanOutSeconds.observe(fanOutMs / 1_000),
    batchRejected: () => storeFailures.inc(),
    setStorageUp: (isUp: boolean) => storage.set(isUp ? 1 : 0),
    setAccountsUp: (areUp: boolean) => accounts.set(areUp ? 1 : 0),
    slowConsumerClosed,
    requestRejected,
    /** Adds Node's own metrics. Their measurement wakes an idle process a hundred times a second. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    read: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

async function sizeOnDisk(database: string): Promise<number> {
  const sizes = await Promise.all(
    [database, `${database}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

type Metrics = ReturnType<typeof createMetrics>

/** Serves the metrics on loopback only: they are for the operator's own collector. */
export async function serveMetrics(metrics: Metrics, port: number): Promise<{ close: () => void }> {
  metrics.watchProcess()
  const server = createServer((request, response) => {
    if (request.url !== metricsPath) {
      response.writeHead(404).end()
      return
    }
    metrics.read().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, metricsHost)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartError(
      code === 'EADDRINUSE'
        ? `METRICS_PORT: ${port} is already in use; stop the other program or set another port`
        : `METRICS_PORT: cannot listen on this port (${message}); set a port that this user may open`,
    )
  }
  return { close: () => server.close() }
}
