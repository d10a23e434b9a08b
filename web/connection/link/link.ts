import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import {
  type ClientToServerEvents,
  events,
  type NodeNotices,
  type ServerToClientEvents,
} from '../../../contract/events.ts'
import type { HandshakeAuth } from '../../../contract/handshake.ts'
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
  /** The server did not let the page in; `true` when another attempt is worth making at once. */
  onRejected: (code: string) => boolean
}

// After a connection that lasted so many come soon after each other: a server that was started anew is back in a second.
const quickAttempts = 4

// An attempt that is older than this when the page wakes was most likely made into a dead network.
const staleAttemptMs = 2_000

/**
 * Keeps one connection. Each attempt has a socket of its own: what an old one had still buffered, in either direction,
 * can then never get into the next.
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
  const retry = createTimer()
  const attemptLimit = createTimer()
  const restartLimit = createTimer()
  let socket: RoomSocket | null = null
  let running = false
  let failures = 0
  let attemptedAtMs = 0
  let connectedAtMs = 0
  let backAtMs = 0
  let heardAtMs = 0
  let pollingFirst = false

  function attempt() {
    drop()
    attemptedAtMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'lost') state.set({ ...current, retryAtMs: null })
    const socketOptions: Partial<ManagerOptions & SocketOptions> = {
      path: socketPath,
      forceNew: true,
      reconnection: false,
      // Ends with the transport's handshake, and so cannot replace the limit below: that must come first.
      timeout: 2 * timing.connectTimeoutMs,
      transports: pollingFirst ? ['polling', 'websocket'] : ['websocket', 'polling'],
      tryAllTransports: true,
      auth: (send) => send(auth()),
    }
    const made: RoomSocket = url === undefined ? io(socketOptions) : io(url, socketOptions)
    socket = made
    // The page has two of these: whatever is not said of the connection itself is heard by one of them, in `attach`.
    const opening: Socket<NodeNotices, ClientToServerEvents> = made
    let reached = false
    opening.io.on('open', () => (reached = true))
    opening.io.on('ping', heard)
    opening.on('connect', () => connected(made))
    opening.on('connect_error', failed)
    opening.on('disconnect', lost)
    opening.on(events.restarting, ({ inMs }) => restart(inMs))
    addListeners(made)
    attemptLimit.set(timing.connectTimeoutMs, () => {
      // A proxy that swallows WebSocket handshakes gives no error to fall back on.
      if (!reached) pollingFirst = !pollingFirst
      failed(new Error('timeout'))
    })
  }

  function connected(opened: RoomSocket) {
    attemptLimit.clear()
    restartLimit.clear()
    connectedAtMs = heardAtMs = page.nowMs()
    backAtMs = 0
    state.set({ kind: 'live', isConfirmed: true, isRestarting: false })
    onConnect(opened)
  }

  function heard() {
    heardAtMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'live' && !current.isConfirmed) state.set({ ...current, isConfirmed: true })
  }

  function failed(error: Error & { data?: { retryAfterMs?: number } }) {
    drop()
    if (onRejected(error.message)) attempt()
    else retryLater(error.data?.retryAfterMs ?? 0)
  }

  function lost() {
    drop()
    if (backAtMs > 0 || page.nowMs() - connectedAtMs >= timing.stableAfterMs) failures = -quickAttempts
    // Before a server that restarts is back, attempts would only wear the back-off out.
    retryLater(Math.max(0, backAtMs - page.elapsedMs()))
  }

  function retryLater(atLeastMs: number) {
    const delayMs = atLeastMs + backOffDelayMs(Math.max(0, failures++), Math.random(), timing.backOff)
    state.set({ kind: 'lost', retryAtMs: page.elapsedMs() + delayMs, isRestarting: state.get().isRestarting })
    retry.set(delayMs, attempt)
  }

  function restart(inMs: number) {
    backAtMs = page.elapsedMs() + inMs
    state.set({ ...state.get(), isRestarting: true })
    restartLimit.set(inMs + timing.restartGraceMs, () => state.set({ ...state.get(), isRestarting: false }))
  }

  function drop() {
    retry.clear()
    attemptLimit.clear()
    if (socket === null) return
    const dropped = socket
    socket = null
    dropped.off()
    dropped.disconnect()
    onDisconnect()
  }

  function start() {
    if (running) return
    running = true
    attempt()
  }

  function stop() {
    running = false
    drop()
    restartLimit.clear()
    state.set({ kind: 'connecting', isRestarting: false })
  }

  /** Gives up the connection for a new one, at once. */
  function remake() {
    if (!running) return
    state.set({ kind: 'connecting', isRestarting: false })
    attempt()
  }

  /** The browser says that there is no network: whether the connection still stands is open until it is heard. */
  function doubt() {
    const current = state.get()
    if (current.kind === 'live') state.set({ ...current, isConfirmed: false })
  }

  /** Makes the attempt that is due later now, and finds out what died unnoticed. */
  function wake() {
    if (!running) return
    const nowMs = page.nowMs()
    const current = state.get()
    if (current.kind === 'live') {
      if (current.isConfirmed && nowMs - heardAtMs <= timing.maxSilenceMs) return
      state.set({ kind: 'lost', retryAtMs: null, isRestarting: false })
      attempt()
    } else if (socket === null || nowMs - attemptedAtMs > staleAttemptMs) attempt()
  }

  return { state, start, stop, remake, doubt, wake }
}
