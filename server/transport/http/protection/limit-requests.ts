import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Networks } from '../../../limits/addresses.ts'
import { createNetworkCounts } from '../../../limits/network-counts.ts'
import type { Report } from '../../../observe/events.ts'
import type { HttpCloseReason } from '../../../observe/reasons.ts'
import { RejectionError } from '../../../base/rejection-error.ts'
import { rejectRaw } from './raw-rejection.ts'
import { abortConnection, ignoreInput } from '../../fast-path/abort-connection.ts'
import type { ProtectionStep } from './protect-server.ts'

/**
 * Maximum number of unanswered requests of a connection. Browsers and proxies do not pipeline; a few requests are
 * tolerated.
 */
export const maxUnansweredPerConnection = 8
/**
 * Maximum number of unread response bytes of one address, over all its connections. Above it, the server rejects requests
 * of the address.
 */
export const maxUnreadBytesPerAddress = 4 * 1_024 * 1_024
/**
 * Maximum number of unread bytes of all addresses, including exempt ones. Above it, the server closes the connections
 * with the most unread bytes.
 */
export const maxUnreadBytesInTotal = 64 * 1_024 * 1_024
export const maxUnwritableMs = 10_000
const sweepEveryMs = 1_000
const busyRetryMs = 5_000

interface RequestLimits {
  /** Maximum number of unanswered requests of an address; 0 turns off all limits per address. */
  maxUnansweredPerAddress: number
  /** Returns the networks by which requests are counted; `null` if limits do not apply. */
  networksOf: (request: IncomingMessage) => Networks | null
  report: Report
}

/** Requests of one connection that are unanswered, or whose responses are unread. */
interface Unanswered {
  requests: (Networks | null)[]
  /** Number of bytes of completed writes at the last progress, and the time of the progress. */
  sentBytes: number
  progressAtMs: number
}

/**
 * Limits unanswered requests per connection, address and network, and unread responses per connection, per address and in
 * total. Node parses all requests of one read, which may be thousands, and keeps every response until the client has read
 * the one before it.
 */
export function limitRequests({ maxUnansweredPerAddress, networksOf, report }: RequestLimits) {
  const connections = new Map<Socket, Unanswered>()
  const addresses = new Map<string, Set<Socket>>()
  /**
   * Number of pending requests of each network. The limits of TCP connections do not bound the requests of clients
   * behind a trusted proxy, because the connections of the proxy are not counted.
   */
  const unansweredCounts = createNetworkCounts(maxUnansweredPerAddress)

  function track(socket: Socket): Unanswered {
    const unanswered: Unanswered = { requests: [], sentBytes: 0, progressAtMs: performance.now() }
    connections.set(socket, unanswered)
    socket.once('close', () => {
      for (const networks of unanswered.requests.splice(0)) release(socket, unanswered, networks)
      connections.delete(socket)
    })
    return unanswered
  }

  function release(socket: Socket, { requests }: Unanswered, networks: Networks | null): void {
    unansweredCounts.remove(networks)
    if (networks === null || requests.some((other) => other?.address === networks.address)) return
    const sockets = addresses.get(networks.address)
    sockets?.delete(socket)
    if (sockets?.size === 0) addresses.delete(networks.address)
  }

  function rejectionFor(networks: Networks | null): RejectionError<'rate_limited'> | null {
    if (networks === null || maxUnansweredPerAddress === 0) return null
    if (unansweredCounts.isFull(networks))
      return new RejectionError('rate_limited', 'Too many requests of this address are pending.', busyRetryMs)
    let unreadBytes = 0
    for (const socket of addresses.get(networks.address) ?? []) unreadBytes += socket.writableLength
    if (unreadBytes <= maxUnreadBytesPerAddress) return null
    return new RejectionError('rate_limited', 'Too many responses to this address are unread.', busyRetryMs)
  }

  /** Counts a request. Returns `false` when the request is rejected or its connection is closed. */
  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (socket.destroyed) return false
    const unanswered = connections.get(socket) ?? track(socket)
    if (unanswered.requests.length >= maxUnansweredPerConnection) {
      close(socket, 'pipelined')
      return false
    }
    const networks = networksOf(request)
    const rejection = rejectionFor(networks)
    if (rejection !== null) {
      response.shouldKeepAlive = false
      rejectRaw(request, response, rejection)
      // One read may contain thousands of further requests.
      ignoreInput(socket)
      return false
    }
    unanswered.requests.push(networks)
    unansweredCounts.add(networks)
    if (networks !== null) {
      const sockets = addresses.get(networks.address) ?? new Set()
      addresses.set(networks.address, sockets.add(socket))
    }
    response.once('close', () => {
      const at = unanswered.requests.indexOf(networks)
      if (at < 0) return
      unanswered.requests.splice(at, 1)
      release(socket, unanswered, networks)
    })
    return true
  }

  function close(socket: Socket, reason: HttpCloseReason): void {
    abortConnection(socket)
    report({ type: 'http-connection-closed', reason })
  }

  function closeLargest(): void {
    let unreadBytes = 0
    for (const socket of connections.keys()) unreadBytes += socket.writableLength
    if (unreadBytes <= maxUnreadBytesInTotal) return
    for (const socket of [...connections.keys()].toSorted((a, b) => b.writableLength - a.writableLength)) {
      if (unreadBytes <= maxUnreadBytesInTotal) return
      unreadBytes -= socket.writableLength
      close(socket, 'unread')
    }
  }

  const sweep = setInterval(() => {
    closeLargest()
    const nowMs = performance.now()
    for (const [socket, unanswered] of connections) {
      const sentBytes = socket.bytesWritten - socket.writableLength
      const isStuck = socket.writableLength > 0 && sentBytes === unanswered.sentBytes
      if (!isStuck) Object.assign(unanswered, { sentBytes, progressAtMs: nowMs })
      else if (nowMs - unanswered.progressAtMs > maxUnwritableMs) close(socket, 'unread')
    }
  }, sweepEveryMs).unref()

  const step: ProtectionStep = {
    onRequest(request, response, next) {
      if (admit(request, response)) next()
    },
    onUpgrade: 'pass',
  }
  return { step, stop: () => clearInterval(sweep) }
}
