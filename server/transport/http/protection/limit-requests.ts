import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Report } from '../../../observe/events.ts'
import type { HttpCloseReason } from '../../../observe/reasons.ts'
import { RejectionError } from '../../../base/rejection-error.ts'
import { rejectRaw } from './raw-rejection.ts'
import { boundBodyChunks } from './body-chunks.ts'
import { abortConnection } from '../../fast-path/abort-connection.ts'
import type { ProtectionStep } from './protect-server.ts'

/** Maximum unanswered requests of a connection. Browsers and proxies do not pipeline; a few requests are tolerated. */
export const maxUnansweredPerConnection = 8
/** Unread response bytes of one address, over all its connections, above which requests are rejected. */
export const maxUnreadBytesPerAddress = 4 * 1_024 * 1_024
/** Total for all addresses, including exempt ones. Above it, the connection with the most unread bytes is closed. */
export const maxUnreadBytesInTotal = 64 * 1_024 * 1_024
export const maxUnwritableMs = 10_000
const sweepEveryMs = 1_000
const busyRetryMs = 5_000

interface RequestLimits {
  /** 0 means no limit. */
  maxUnansweredPerAddress: number
  /** The key by which requests are counted; `null` if limits per address do not apply. */
  keyOf: (request: IncomingMessage) => string | null
  report: Report
}

/** The requests of one connection that are unanswered, or whose responses are unread. */
interface Unanswered {
  keys: (string | null)[]
  /** Number of sent bytes at the last progress, and its time. */
  sentBytes: number
  progressAtMs: number
}

/**
 * Limits unanswered requests and unread responses, per connection and per address. Node parses all requests of one read,
 * which may be thousands, and keeps every response until the client has read the one before it.
 */
export function limitRequests({ maxUnansweredPerAddress, keyOf, report }: RequestLimits) {
  const connections = new Map<Socket, Unanswered>()
  const addresses = new Map<string, Set<Socket>>()

  function track(socket: Socket): Unanswered {
    const unanswered: Unanswered = { keys: [], sentBytes: 0, progressAtMs: performance.now() }
    connections.set(socket, unanswered)
    socket.once('close', () => {
      for (const key of unanswered.keys.splice(0)) release(socket, unanswered, key)
      connections.delete(socket)
    })
    return unanswered
  }

  function release(socket: Socket, { keys }: Unanswered, key: string | null): void {
    if (key === null || keys.includes(key)) return
    const sockets = addresses.get(key)
    sockets?.delete(socket)
    if (sockets?.size === 0) addresses.delete(key)
  }

  function rejectionFor(key: string | null): RejectionError<'rate_limited'> | null {
    const sockets = key === null || maxUnansweredPerAddress === 0 ? undefined : addresses.get(key)
    if (sockets === undefined) return null
    let unreadBytes = 0
    for (const socket of sockets) unreadBytes += socket.writableLength
    if (sockets.size < maxUnansweredPerAddress && unreadBytes <= maxUnreadBytesPerAddress) return null
    return new RejectionError('rate_limited', 'Too many responses to this address are unread.', busyRetryMs)
  }

  /** Returns `false` when the request is rejected or its connection is closed. */
  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (socket.destroyed) return false
    const unanswered = connections.get(socket) ?? track(socket)
    if (unanswered.keys.length >= maxUnansweredPerConnection) {
      close(socket, 'pipelined')
      return false
    }
    const key = keyOf(request)
    const rejection = rejectionFor(key)
    if (rejection !== null) {
      response.shouldKeepAlive = false
      rejectRaw(request, response, rejection)
      return false
    }
    unanswered.keys.push(key)
    if (key !== null) {
      const sockets = addresses.get(key) ?? new Set()
      addresses.set(key, sockets.add(socket))
    }
    response.once('close', () => {
      const at = unanswered.keys.indexOf(key)
      if (at < 0) return
      unanswered.keys.splice(at, 1)
      release(socket, unanswered, key)
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
      if (!admit(request, response)) return
      boundBodyChunks(request, response)
      next()
    },
  }
  return { step, stop: () => clearInterval(sweep) }
}
