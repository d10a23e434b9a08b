import { Manager, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import {
  type ClientToServerEvents,
  events,
  type NodeEvents,
  type ServerToClientEvents,
} from '../../../contract/events.ts'
import type { HandshakeAuth } from '../../../contract/handshake.ts'
import type { ConnectRejectionCode } from '../../../contract/rejections.ts'
import { socketPath } from '../../../contract/routes.ts'
import { createTimer } from './timer.ts'
import { backOffDelayMs } from './back-off.ts'
import { createCell } from '../cell.ts'
import type { LinkState } from '../connection-status.ts'
import type { Page } from './browser-page.ts'
import type { Timing } from '../timing.ts'

export type RoomSocket = Socket<ServerToClientEvents, ClientToServerEvents>

export interface LinkOptions {
  url: string | undefined
  page: Page
  timing: Timing
  auth: () => HandshakeAuth
  addListeners: (socket: RoomSocket) => void
  onConnect: (socket: RoomSocket) => void
  onDisconnect: () => void
  /**
   * Handles a failed attempt, except for a ban. `code` is the rejection code, or the text of another error. Returns
   * true to retry at once.
   */
  onRejected: (code: string) => boolean
}

/**
 * Number of failed attempts that do not increase the back-off after a stable connection or an announced restart: a
 * restart usually takes a second.
 */
const quickAttempts = 4

/** Age above which `wake` replaces a pending attempt, because the network has probably changed since its start. */
const staleAttemptMs = 2_000

const banned: ConnectRejectionCode = 'banned'

/**
 * Creates a connection to the server. The connection reconnects with back-off. Each attempt uses a new socket, so
 * packets that the previous socket still buffers, in either direction, cannot reach the new connection.
 */
export function createLink({
  url,
  page,
  timing,
  auth,
  addListeners,
  onConnect,
  onDisconnect,
  onRejected,
}: LinkOptions) {
  const state = createCell<LinkState>({ kind: 'connecting', isRestarting: false })
  const retryTimer = createTimer()
  const connectTimer = createTimer()
  const restartTimer = createTimer()
  let socket: RoomSocket | null = null
  let isRunning = false
  let failures = 0
  let attemptedAtMs = 0
  let connectedAtMs = 0
  let serverBackAtMs = 0
  let lastPingAtMs = 0
  let startsWithPolling = false

  function attempt() {
    closeSocket()
    attemptedAtMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'lost') state.set({ ...current, retryAtMs: null })
    const socketOptions: Partial<ManagerOptions & SocketOptions> = {
      path: socketPath,
      reconnection: false,
      // This timeout covers the transport handshake only. `connectTimer` covers the whole attempt and must expire first.
      timeout: 2 * timing.connectTimeoutMs,
      transports: startsWithPolling ? ['polling', 'websocket'] : ['websocket', 'polling'],
      tryAllTransports: true,
      auth: (send) => send(auth()),
    }
    const manager = url === undefined ? new Manager(socketOptions) : new Manager(url, socketOptions)
    const newSocket: RoomSocket = manager.socket('/', socketOptions)
    socket = newSocket
    // Narrow the events to those of the connection itself; `addListeners` handles all others.
    const connection: Socket<NodeEvents, ClientToServerEvents> = newSocket
    let isTransportOpen = false
    connection.io.on('open', () => (isTransportOpen = true))
    connection.io.on('ping', handlePing)
    connection.on('connect', () => handleConnect(newSocket))
    connection.on('connect_error', handleFailure)
    connection.on('disconnect', handleDisconnect)
    connection.on(events.restarting, ({ inMs }) => handleRestart(inMs))
    addListeners(newSocket)
    connectTimer.set(timing.connectTimeoutMs, () => {
      // Some proxies drop WebSocket handshakes without an error, so Socket.IO does not fall back by itself.
      if (!isTransportOpen) startsWithPolling = !startsWithPolling
      handleFailure(new Error('timeout'))
    })
  }

  function handleConnect(connectedSocket: RoomSocket) {
    connectTimer.clear()
    restartTimer.clear()
    connectedAtMs = page.elapsedMs()
    lastPingAtMs = page.nowMs()
    serverBackAtMs = 0
    state.set({ kind: 'live', isConfirmed: true, isRestarting: false })
    onConnect(connectedSocket)
  }

  function handlePing() {
    lastPingAtMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'live' && !current.isConfirmed) state.set({ ...current, isConfirmed: true })
  }

  function handleFailure(error: Error & { data?: { message?: string; retryAfterMs?: number } }) {
    closeSocket()
    const { message = '', retryAfterMs } = error.data ?? {}
    if (error.message === banned) waitForEndOfBan(message, retryAfterMs)
    else if (onRejected(error.message)) attempt()
    else retryLater(retryAfterMs ?? 0)
  }

  /**
   * Connects again when a ban ends. If the ban has no end, only a login, a reload or a return from the back/forward
   * cache connects again.
   */
  function waitForEndOfBan(message: string, forMs = Infinity) {
    const endsAtMs = forMs === Infinity ? null : page.nowMs() + forMs
    state.set({ kind: 'banned', message, endsAtMs, isRestarting: false })
    if (endsAtMs !== null) retryTimer.set(forMs, attempt)
  }

  function handleDisconnect() {
    closeSocket()
    if (serverBackAtMs > 0 || page.elapsedMs() - connectedAtMs >= timing.stableAfterMs) failures = -quickAttempts
    // An attempt before the announced time would probably fail. The server staggers the announced times.
    retryLater(Math.max(0, serverBackAtMs - page.elapsedMs()))
  }

  function retryLater(atLeastMs: number) {
    const delayMs = atLeastMs + backOffDelayMs(Math.max(0, failures++), Math.random(), timing.backOff)
    state.set({ kind: 'lost', retryAtMs: page.elapsedMs() + delayMs, isRestarting: state.get().isRestarting })
    retryTimer.set(delayMs, attempt)
  }

  function handleRestart(inMs: number) {
    serverBackAtMs = page.elapsedMs() + inMs
    state.set({ ...state.get(), isRestarting: true })
    restartTimer.set(inMs + timing.restartGraceMs, () => state.set({ ...state.get(), isRestarting: false }))
  }

  function closeSocket() {
    retryTimer.clear()
    connectTimer.clear()
    if (socket === null) return
    const closing = socket
    socket = null
    closing.off()
    closing.disconnect()
    onDisconnect()
  }

  function start() {
    if (isRunning) return
    isRunning = true
    attempt()
  }

  function stop() {
    isRunning = false
    closeSocket()
    restartTimer.clear()
    state.set({ kind: 'connecting', isRestarting: false })
  }

  /** Replaces the connection at once, if the link is running. */
  function reconnect() {
    if (!isRunning) return
    state.set({ kind: 'connecting', isRestarting: false })
    attempt()
  }

  /** Marks a live connection as unconfirmed until the next ping. Call this function when the browser goes offline. */
  function markUnconfirmed() {
    const current = state.get()
    if (current.kind === 'live') state.set({ ...current, isConfirmed: false })
  }

  /**
   * Runs a pending retry now. Replaces a stale attempt, and a connection that is unconfirmed or has been silent for too
   * long. Does nothing during a ban.
   */
  function wake() {
    if (!isRunning) return
    const nowMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'banned' && nowMs < (current.endsAtMs ?? Infinity)) return
    if (current.kind === 'live') {
      if (current.isConfirmed && nowMs - lastPingAtMs <= timing.maxSilenceMs) return
      state.set({ kind: 'lost', retryAtMs: null, isRestarting: false })
      attempt()
    } else if (socket === null || nowMs - attemptedAtMs > staleAttemptMs) attempt()
  }

  return { state, start, stop, reconnect, markUnconfirmed, wake }
}
