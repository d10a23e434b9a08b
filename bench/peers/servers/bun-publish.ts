interface BunSocket {
  subscribe: (topic: string) => void
}

interface BunServer {
  upgrade: (request: Request) => boolean
  publish: (topic: string, data: string) => number
}

declare const Bun: {
  serve: (options: {
    port: number
    fetch: (request: Request, server: BunServer) => Response | undefined
    websocket: Record<string, unknown> & {
      open: (socket: BunSocket) => void
      message: (socket: BunSocket, data: string) => void
    }
  }) => BunServer
  gc: (synchronous: boolean) => void
}

// By default Bun drops published messages for a socket with 1 MiB unsent. MODE=best raises the limit, because dropped
// messages do not count as deliveries.
const limits = process.env['MODE'] === 'best' ? { backpressureLimit: 64 * 1_024 * 1_024 } : {}

const server = Bun.serve({
  port: Number(process.env['PORT']),
  fetch: (request, self) => (self.upgrade(request) ? undefined : new Response('', { status: 400 })),
  websocket: {
    perMessageDeflate: false,
    ...limits,
    open: (socket) => socket.subscribe('room'),
    message: (_socket, data) => {
      server.publish('room', data)
    },
  },
})
process.on('SIGUSR2', () => Bun.gc(true))
