import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Guard } from '../../../base/error-guard.ts'
import { createReadingPause } from './reading-pause.ts'
import { wrapListeners } from './wrap-listeners.ts'

/** Less than a millisecond: what everybody who is chatting waits at most for the requests of one turn. */
export const maxRequestsPerTurn = 4
/** Beyond it no more are read: parsing them takes time too, and one turn reads from every connection that has something. */
export const maxWaitingRequests = 32

interface Waiting {
  socket: Socket
  serve: () => void
}

interface TurnDeps {
  /** Those who take turns with each other; `null` where a connection is the nearest that is known of its sender. */
  keyOf: (request: IncomingMessage) => string | null
  guard: Guard
}

/**
 * One request per connection and turn of the event loop, and so many in all: one read brings several, a crowd brings
 * thousands at once, and whoever is chatting would wait for all of them. Those that wait are served address by address.
 * Who comes to stay (an upgrade) takes turns with those who only ask.
 */
export function serveInTurns(server: Server, { keyOf, guard }: TurnDeps): void {
  const waiting = new Map<string | Socket, Waiting[]>()
  const servedThisTurn = new Set<Socket>()
  const reading = createReadingPause(server)
  let isScheduled = false
  let waitingRequests = 0

  const hasRoom = (socket: Socket) => servedThisTurn.size < maxRequestsPerTurn && !servedThisTurn.has(socket)

  function scheduleNextTurn(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    servedThisTurn.clear()
    let passedOver = 0
    // What is put back comes last, and is met again in the same walk.
    for (const [key, queue] of waiting) {
      const [next] = queue
      if (servedThisTurn.size >= maxRequestsPerTurn || passedOver >= waiting.size) break
      waiting.delete(key)
      const isTurn = next !== undefined && !servedThisTurn.has(next.socket)
      if (isTurn) {
        queue.shift()
        waitingRequests--
      }
      if (queue.length > 0) waiting.set(key, queue)
      passedOver = isTurn ? 0 : passedOver + 1
      if (isTurn) serve(next)
    }
    if (waitingRequests < maxWaitingRequests / 2) reading.goOn()
    if (waiting.size > 0 || servedThisTurn.size > 0) scheduleNextTurn()
  }

  const serve = guard.wrap(
    'request',
    ({ socket, serve: answer }: Waiting) => {
      if (socket.destroyed) return
      servedThisTurn.add(socket)
      answer()
    },
    ({ socket }) => socket.destroy(),
  )

  function takeTurn(request: IncomingMessage, goOn: () => void): void {
    const { socket } = request
    const key = keyOf(request) ?? socket
    const queue = waiting.get(key)
    scheduleNextTurn()
    if (queue === undefined && hasRoom(socket)) return serve({ socket, serve: goOn })
    if (queue === undefined) waiting.set(key, [{ socket, serve: goOn }])
    else queue.push({ socket, serve: goOn })
    waitingRequests++
    if (waitingRequests >= maxWaitingRequests) reading.pause()
  }

  wrapListeners(server, 'request', (goOn, request: IncomingMessage) => takeTurn(request, goOn))
  wrapListeners(server, 'upgrade', (goOn, request: IncomingMessage, socket: Duplex) => {
    // Nobody else listens while it waits; what it sends meanwhile stays in its buffer.
    reading.letBe(request.socket)
    const giveUp = () => socket.destroy()
    socket.on('error', giveUp)
    takeTurn(request, () => {
      socket.off('error', giveUp)
      goOn()
    })
  })
}
