import type { Socket } from 'node:net'

/** Maximum number of connections from which the server resumes reading in one turn of the event loop. */
export const maxResumedPerTurn = 256

/**
 * Stops reading from all HTTP connections for a moment. After the pause, the server resumes a limited number of
 * connections in each turn, in the order in which they were paused. It may pause again before the last one.
 */
export function createReadingPause() {
  const connections = new Set<Socket>()
  const paused = new Set<Socket>()
  let isPausing = false

  function pauseSocket(socket: Socket): void {
    // A socket that another module has paused is resumed by that module.
    if (socket.isPaused()) return
    paused.add(socket)
    socket.pause()
  }

  function remove(socket: Socket): void {
    connections.delete(socket)
    paused.delete(socket)
  }

  return {
    add(socket: Socket): void {
      connections.add(socket)
      if (isPausing) pauseSocket(socket)
      socket.once('close', () => remove(socket))
    },
    /** Removes an upgraded connection: another module reads from it now. */
    remove,
    /** Records that a request was read, so that the other connections come first after the next pause. */
    moveToEnd(socket: Socket): void {
      if (connections.delete(socket)) connections.add(socket)
    },
    pause(): void {
      if (isPausing) return
      isPausing = true
      for (const socket of connections) pauseSocket(socket)
    },
    /** Ends the pause for the next connections. Returns whether others still wait. */
    resume(): boolean {
      isPausing = false
      let left = maxResumedPerTurn
      for (const socket of paused) {
        if (left-- === 0) return true
        paused.delete(socket)
        socket.resume()
      }
      return false
    },
  }
}
