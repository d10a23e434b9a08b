import { setTimeout as wait } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { Cursor } from '../../contract/messages.ts'
import { createLink } from '../../web/connection/link/link.ts'
import type { Page } from '../../web/connection/link/browser-page.ts'
import { defaultTiming } from '../../web/connection/timing.ts'
import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { ReconnectCalls, ReconnectRequest } from './reconnecting-clients-protocol.ts'

interface Client {
  isConnected: boolean
  reconnectedAtMs: number
  stop: () => void
}

const stubPage: Page = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  isHidden: () => false,
  isOnline: () => true,
  requestFrame: () => () => undefined,
  listen: () => () => undefined,
  store: () => undefined,
  load: () => null,
  setLeaveWarning: () => undefined,
}

/** Creates clients that reconnect on their own after a server restart. */
function createReconnectingClients() {
  const clients: Client[] = []
  let isWatching = false

  const onConnected = (client: Client) => {
    client.isConnected = true
    if (isWatching) client.reconnectedAtMs = nowMs()
  }
  const onDisconnected = (client: Client) => {
    client.isConnected = false
    client.reconnectedAtMs = Infinity
  }

  function pageClient(url: string): Client {
    const client: Client = { isConnected: false, reconnectedAtMs: Infinity, stop: () => undefined }
    // The client sends its cursor, as the page does, so that the measurement includes the cost of the replay.
    let cursor: Cursor | undefined
    const link = createLink({
      url,
      page: stubPage,
      timing: defaultTiming,
      auth: () => ({ channel: 'messages', ...(cursor === undefined ? {} : { cursor }) }),
      addListeners: (socket) => {
        socket.on(events.cursor, (confirmed) => (cursor = confirmed))
        socket.on(events.receiveMessage, (_message, position) => (cursor = position))
      },
      onConnect: () => onConnected(client),
      onDisconnect: () => onDisconnected(client),
      onRejected: () => false,
    })
    client.stop = link.stop
    link.start()
    return client
  }

  function stockClient(url: string): Client {
    const socket = io(url, { transports: ['websocket'], forceNew: true })
    const client: Client = { isConnected: false, reconnectedAtMs: Infinity, stop: () => socket.disconnect() }
    socket.on('connect', () => onConnected(client))
    socket.on('disconnect', () => onDisconnected(client))
    return client
  }

  async function connect({ port, clients: count, kind }: ReconnectRequest) {
    const url = `http://127.0.0.1:${port}`
    while (clients.length < count) {
      clients.push(kind === 'page' ? pageClient(url) : stockClient(url))
      if (clients.length % 50 === 0) await wait(20)
    }
    const deadlineMs = nowMs() + 30_000
    while (!clients.every(({ isConnected }) => isConnected) && nowMs() < deadlineMs) await wait(20)
    return { connected: clients.filter(({ isConnected }) => isConnected).length }
  }

  return {
    connect,
    watchReconnects(): null {
      isWatching = true
      for (const client of clients) client.reconnectedAtMs = client.isConnected ? Infinity : client.reconnectedAtMs
      return null
    },
    async waitForReconnects({ timeoutMs }: { timeoutMs: number }) {
      const deadlineMs = nowMs() + timeoutMs
      while (!clients.every(({ reconnectedAtMs }) => reconnectedAtMs !== Infinity) && nowMs() < deadlineMs)
        await wait(20)
      return { reconnectedAtMs: clients.map(({ reconnectedAtMs }) => reconnectedAtMs) }
    },
    disconnect(): null {
      isWatching = false
      for (const { stop } of clients.splice(0)) stop()
      return null
    },
  }
}

serveCalls<ReconnectCalls>(createReconnectingClients())
