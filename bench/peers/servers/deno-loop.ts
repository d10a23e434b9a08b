declare const Deno: {
  serve: (options: { port: number; onListen: () => void }, handler: (request: Request) => Response) => void
  upgradeWebSocket: (request: Request) => { socket: WebSocket; response: Response }
  env: { get: (name: string) => string | undefined }
  addSignalListener: (signal: string, listener: () => void) => void
}
declare const gc: (() => void) | undefined

/** Open sockets. Deno has no publish, so the server sends each message to each socket. */
const sockets = new Set<WebSocket>()

Deno.serve({ port: Number(Deno.env.get('PORT')), onListen: () => undefined }, (request) => {
  if (request.headers.get('upgrade') !== 'websocket') return new Response('', { status: 400 })
  const { socket, response } = Deno.upgradeWebSocket(request)
  socket.onopen = () => sockets.add(socket)
  socket.onclose = () => sockets.delete(socket)
  socket.onerror = () => sockets.delete(socket)
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    for (const target of sockets) if (target.readyState === WebSocket.OPEN) target.send(data)
  }
  return response
})
Deno.addSignalListener('SIGUSR2', () => gc?.())
