import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricsHost, metricsPath } from '../../contract/routes.ts'
import { slowReaderReasons } from '../transport/sockets/guarded-writer.ts'
import { refusalReasons } from './rejections.ts'
import { StartError } from '../base/start-error.ts'

interface Sources {
  connections: () => number
  /** People, so far as they can be told apart: a page has one connection for messages and one for the list. */
  pages: () => number
  databaseFiles: Readonly<Record<string, string>>
  /** Finds out whether messages can be stored, and tells by `storageIs` when that has changed. */
  checkStorage: () => Promise<unknown>
}

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

interface Flush {
  /** New ones: neither repeats nor refused ones. */
  storedMessages: number
  storeMs: number
}

/** What an operator watches; counted always, shown on a port of its own when one is set. */
export function createMetrics({ connections, pages, databaseFiles, checkStorage }: Sources) {
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({ name, help, collect: () => made.set(read()), registers })
  }
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  /** Each reason stands there from the start, at 0: what has not happened yet can be told from what is not counted. */
  const countedByReason = <Reason extends string>(name: string, help: string, reasons: readonly Reason[]) => {
    const made = new Counter({ name, help, labelNames: ['reason'], registers })
    for (const reason of reasons) made.inc({ reason }, 0)
    return (reason: Reason) => made.inc({ reason })
  }
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets: latencyBuckets, registers })

  gauge('chat_connections', 'Open connections.', connections)
  gauge('chat_pages', 'Open connections that listen for messages: one for each page or client.', pages)
  const databaseBytes: Gauge<'database'> = new Gauge({
    name: 'chat_database_bytes',
    help: 'Size of a database on the disk, with its write-ahead log.',
    labelNames: ['database'],
    async collect() {
      for (const [database, file] of Object.entries(databaseFiles)) {
        databaseBytes.set({ database }, await sizeOnDisk(file))
      }
    },
    registers,
  })
  const messages = counter('chat_messages_total', 'Messages stored, each counted once.')
  const storeSeconds = histogram('chat_store_seconds', 'From taking a batch of messages to having it on the disk.')
  const fanOutSeconds = histogram(
    'chat_fanout_seconds',
    'From hearing that a batch is stored to having written it to all.',
  )
  const storeFailures = counter(
    'chat_store_failures_total',
    'Batches of messages that could not be stored, or not in time.',
  )
  const letGo = countedByReason(
    'chat_slow_readers_total',
    'Connections ended because they did not read.',
    slowReaderReasons,
  )
  const refused = countedByReason(
    'chat_refused_total',
    'What was turned down: messages, connections, requests.',
    refusalReasons,
  )
  // Looked at when somebody asks: in a quiet room nobody else would notice.
  const storage = new Gauge({
    name: 'chat_storage_up',
    help: '1 while messages can be stored.',
    async collect() {
      await checkStorage()
    },
    registers,
  })
  storage.set(1)
  const accounts = new Gauge({ name: 'chat_accounts_up', help: '1 while accounts can be reached.', registers })
  accounts.set(1)

  return {
    flushed({ storedMessages, storeMs }: Flush): void {
      messages.inc(storedMessages)
      storeSeconds.observe(storeMs / 1_000)
    },
    fannedOut: (fanOutMs: number) => fanOutSeconds.observe(fanOutMs / 1_000),
    storeFailed: () => storeFailures.inc(),
    storageIs: (isUp: boolean) => storage.set(isUp ? 1 : 0),
    accountsAre: (areUp: boolean) => accounts.set(areUp ? 1 : 0),
    letGo,
    refused,
    /** Node's own figures too; watching them wakes an idle process a hundred times a second. */
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

/** Loopback only: the figures are for the operator's own collector. */
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
        ? `METRICS_PORT: ${port} is already in use`
        : `METRICS_PORT: cannot listen there (${message})`,
    )
  }
  return { close: () => server.close() }
}
