import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Stops reading from all HTTP connections for a moment. */
export function createReadingPause(server: Server) {
  const connections = new Set<Socket>()
  const paused = new Set<Socket>()
  let isPausing = false

  function pauseOne(socket: Socket): void {
    // Whoever has paused it for another reason goes on with it too.
    if (socket.isPaused()) return
    paused.add(socket)
    socket.pause()
  }

  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    if (isPausing) pauseOne(socket)
    socket.once('close', () => letBe(socket))
  })

  function letBe(socket: Socket): void {
    connections.delete(socket)
    paused.delete(socket)
  }

  return {
    /** For one that was upgraded: from now on it is read by somebody else. */
    letBe,
    pause(): void {
      if (isPausing) return
      isPausing = true
      for (const socket of connections) pauseOne(socket)
    },
    goOn(): void {
      if (!isPausing) return
      isPausing = false
      for (const socket of paused) socket.resume()
      paused.clear()
    },
  }
}
