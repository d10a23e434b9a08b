import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Networks, widestNetwork } from '../../../limits/addresses.ts'
import { abortConnection } from '../../fast-path/abort-connection.ts'
import { boundBodyChunks } from './body-chunks.ts'
import type { ProtectionStep } from './protect-server.ts'
import { createReadingPause } from './reading-pause.ts'

/**
 * Maximum number of requests that one turn of the event loop serves. They delay the messages of the room by less than a
 * millisecond.
 */
export const maxRequestsPerTurn = 4
/**
 * Number of requests after which a turn reads no more: parsing takes time too, and one turn reads from every connection.
 */
export const maxRequestsReadPerTurn = 32
/** Number of chunks of bodies that count as one request, because parsing them takes as long. */
export const chunksPerRequest = 32
/**
 * Number of requests that the end of a connection counts as: a client may close thousands of connections at the same
 * moment.
 */
export const requestsPerEnd = 4
/**
 * Number of waiting requests at which the server reads no more, because they take memory. With the default settings,
 * one network cannot reach this number, because the limit of its unanswered requests is lower.
 */
export const maxWaitingRequests = 4_096

interface Waiting {
  socket: Socket
  next: () => void
}

/** Waiting requests of a network by address, or by connection if the client has no limits. */
type NetworkQueues = Map<string | Socket, Waiting[]>

/**
 * Limits what one turn of the event loop reads and serves: one read may contain several requests, and many clients may
 * send at once.
 */
export function createRequestTurns(networksOf: (request: IncomingMessage) => Networks | null) {
  const waiting = new Map<string | Socket, NetworkQueues>()
  const servedThisTurn = new Set<Socket>()
  const reading = createReadingPause()
  let isScheduled = false
  let waitingRequests = 0
  let readThisTurn = 0

  const hasRoom = (socket: Socket) => servedThisTurn.size < maxRequestsPerTurn && !servedThisTurn.has(socket)

  function scheduleNextTurn(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    servedThisTurn.clear()
    readThisTurn = 0
    let passedOver = 0
    // A network that is put back comes last, and the same loop reaches it again.
    for (const [key, queues] of waiting) {
      if (servedThisTurn.size >= maxRequestsPerTurn || passedOver >= waiting.size) break
      waiting.delete(key)
      const next = takeNext(queues)
      if (queues.size > 0) waiting.set(key, queues)
      passedOver = next === null ? passedOver + 1 : 0
      if (next !== null) serve(next)
    }
    const arePaused = waitingRequests < maxWaitingRequests / 2 && reading.resume()
    if (arePaused || waiting.size > 0 || servedThisTurn.size > 0) scheduleNextTurn()
  }

  /** Takes the next request of a network, and puts its address last. Passes over connections served in this turn. */
  function takeNext(queues: NetworkQueues): Waiting | null {
    let left = queues.size
    for (const [key, queue] of queues) {
      if (left-- === 0) break
      const [first] = queue
      const isTurn = first !== undefined && !servedThisTurn.has(first.socket)
      queues.delete(key)
      if (isTurn) queue.shift()
      if (queue.length > 0) queues.set(key, queue)
      if (!isTurn) continue
      waitingRequests--
      return first
    }
    return null
  }

  function serve({ socket, next }: Waiting): void {
    if (socket.destroyed) return
    servedThisTurn.add(socket)
    next()
  }

  /** Counts what this turn has read, as a number of requests. At the maximum, the turn reads no more. */
  function countRead(requests: number): void {
    readThisTurn += requests
    scheduleNextTurn()
    if (readThisTurn >= maxRequestsReadPerTurn) reading.pause()
  }

  function takeTurn(request: IncomingMessage, next: () => void): void {
    const { socket } = request
    const networks = networksOf(request)
    const key = networks === null ? socket : widestNetwork(networks)
    scheduleNextTurn()
    if (!waiting.has(key) && hasRoom(socket)) return serve({ socket, next })
    const queues: NetworkQueues = waiting.get(key) ?? new Map()
    const address = networks?.address ?? socket
    const queue = queues.get(address)
    if (queue === undefined) queues.set(address, [{ socket, next }])
    else queue.push({ socket, next })
    waiting.set(key, queues)
    waitingRequests++
    if (waitingRequests >= maxWaitingRequests) reading.pause()
  }

  const countEnd = () => countRead(requestsPerEnd)

  /**
   * Stops reading in a turn that has read a lot: requests, chunks of bodies, or ends of connections. This step comes
   * first, so that it also counts requests that a later step or Node's parser rejects.
   */
  const readInTurns: ProtectionStep = {
    onConnection(socket) {
      reading.add(socket)
      socket.on('end', countEnd)
    },
    onRequest(request, response, next) {
      const { socket } = request
      reading.moveToEnd(socket)
      countRead(1)
      if (socket.destroyed) return abortConnection(socket)
      boundBodyChunks(request, response, () => countRead(1 / chunksPerRequest))
      next()
    },
    onUpgrade({ socket }, _socket, _head, next) {
      // Another module reads from the connection now.
      reading.remove(socket)
      countRead(1)
      next()
    },
    onClientError(_error, _socket, next) {
      countRead(1)
      next()
    },
  }

  /**
   * Serves at most one request of each connection in a turn of the event loop, and a few in total. Networks take turns,
   * and so do the addresses within a network. Clients without limits take turns by connection. Upgrades take turns like
   * requests.
   */
  const serveInTurns: ProtectionStep = {
    onRequest: (request, _response, next) => takeTurn(request, next),
    onUpgrade(request, socket, _head, next) {
      // No other module listens for errors while the upgrade waits. Bytes that the client sends stay in the buffer.
      const giveUp = () => socket.destroy()
      socket.on('error', giveUp)
      takeTurn(request, () => {
        socket.off('error', giveUp)
        next()
      })
    },
  }
  return { readInTurns, serveInTurns }
}
