import { once } from 'node:events'
import { createServer } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricsHost, metricsPath } from '../contract/routes.ts'
import { StartError } from './start-error.ts'

interface Sources {
  connections: () => number
}

/** What an operator watches; counted always, shown on a port of its own when one is set. */
export function createMetrics({ connections }: Sources) {
  const registry = new Registry()
  const registers = [registry]
  const open: Gauge = new Gauge({
    name: 'chat_connections',
    help: 'Open connections.',
    collect: () => open.set(connections()),
    registers,
  })
  const messages = new Counter({ name: 'chat_messages_total', help: 'Messages stored.', registers })
  const flushes = new Histogram({
    name: 'chat_flush_seconds',
    help: 'From taking a batch to having written it to every socket.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  })
  const letGo = new Counter({
    name: 'chat_slow_readers_total',
    help: 'Connections ended because they did not read.',
    labelNames: ['reason'],
    registers,
  })
  const storage = new Gauge({ name: 'chat_storage_up', help: '1 while messages can be stored.', registers })
  storage.set(1)

  return {
    flushed(count: number, durationMs: number): void {
      messages.inc(count)
      flushes.observe(durationMs / 1_000)
    },
    storageIs: (isUp: boolean) => storage.set(isUp ? 1 : 0),
    letGo: (reason: string) => letGo.inc({ reason }),
    /** Node's own figures too; watching them wakes an idle process a hundred times a second. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    read: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

export type Metrics = ReturnType<typeof createMetrics>

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
