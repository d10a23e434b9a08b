import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Direction = 'toServer' | 'toClient'
/** Style of a cut. `close` sends FIN, `reset` sends RST. */
export type CutStyle = 'close' | 'reset'
/** Scope of a stall. `links` stalls the open connections, `path` also new connections. */
export type StallScope = 'links' | 'path'

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>

/** Relayed connection. */
export interface Link {
  cut(style: CutStyle): void
  stall(direction: Direction): void
  resume(): void
  /** Sends FIN in one direction. The other direction stays open. */
  halfClose(direction: Direction): void
}

/** Creates a TCP proxy. `from` is the loopback address from which the proxy connects to its target. */
export async function createTcpProxy(firstTargetPort: number, from = '127.0.0.1') {
  let targetPort = firstTargetPort
  const links = new Set<Link>()
  const stalledPaths = new Set<Direction>()
  let isRejecting = false

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isRejecting) {
      client.on('error', () => undefined).resetAndDestroy()
      return
    }
    const link = relay(client, targetPort, from, () => links.delete(link))
    links.add(link)
    for (const direction of stalledPaths) link.stall(direction)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cut(style: CutStyle): void {
    for (const link of links) link.cut(style)
  }

  return {
    port: (server.address() as AddressInfo).port,
    links: (): Link[] => [...links],
    cut,
    /** Forwards new connections to this port. Open connections keep their target. */
    moveTo(port: number): void {
      targetPort = port
    },
    stall(directions: readonly Direction[], scope: StallScope): void {
      for (const direction of directions) {
        if (scope === 'path') stalledPaths.add(direction)
        for (const link of links) link.stall(direction)
      }
    },
    halfClose(direction: Direction): void {
      for (const link of links) link.halfClose(direction)
    },
    /** Cuts open connections and rejects new connections until `resume`. */
    rejectConnections(): void {
      isRejecting = true
      cut('reset')
    },
    /** Ends all stalls and accepts connections again. */
    resume(): void {
      isRejecting = false
      stalledPaths.clear()
      for (const link of links) link.resume()
    },
    async close(): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      cut('reset')
      await closed
    },
  }
}

function relay(client: Socket, targetPort: number, from: string, onClosed: () => void): Link {
  const upstream = connect({
    port: targetPort,
    host: '127.0.0.1',
    localAddress: from,
    allowHalfOpen: true,
    noDelay: true,
  })
  client.setNoDelay(true)
  const stalled = new Set<Direction>()

  const sourceOf = (direction: Direction) => (direction === 'toServer' ? client : upstream)
  const sinkOf = (direction: Direction) => (direction === 'toServer' ? upstream : client)

  function cut(style: CutStyle): void {
    for (const socket of [client, upstream]) {
      if (style === 'reset' && !socket.connecting) socket.resetAndDestroy()
      else socket.destroy()
    }
    onClosed()
  }

  for (const direction of ['toServer', 'toClient'] as const) {
    const [source, sink] = [sourceOf(direction), sinkOf(direction)]
    source.on('data', (chunk) => {
      if (!sink.writableEnded && !sink.write(chunk)) source.pause()
    })
    sink.on('drain', () => {
      if (!stalled.has(direction)) source.resume()
    })
    source.on('end', () => sink.end())
    source.on('error', () => cut('reset'))
    source.on('close', () => {
      if (sink.destroyed) onClosed()
    })
  }

  return {
    cut,
    stall(direction) {
      stalled.add(direction)
      // Without reads, the buffers between the proxy and the sender fill, as with a slow consumer.
      sourceOf(direction).pause()
    },
    resume() {
      const lifted = [...stalled]
      stalled.clear()
      for (const direction of lifted) sourceOf(direction).resume()
    },
    halfClose(direction) {
      sinkOf(direction).end()
    },
  }
}
