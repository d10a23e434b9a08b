import { setTimeout as wait } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { Cursor } from '../../contract/messages.ts'
import { createLink } from '../../web/connection/link/link.ts'
import type { Page } from '../../web/connection/link/browser-page.ts'
import { defaultTiming } from '../../web/connection/timing.ts'
import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { ReturningCalls, ReturningOrder } from './returning-protocol.ts'

interface Client {
  connected: boolean
  backAtMs: number
  stop: () => void
}

const noPage: Page = {
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

/** Real clients that come back by themselves when the server does. */
function createReturningClients() {
  const clients: Client[] = []
  let watching = false
  let firstLostAtMs = 0

  const arrived = (client: Client) => {
    client.connected = true
    if (watching) client.backAtMs = nowMs()
  }
  const lost = (client: Client) => {
    if (client.connected && watching && firstLostAtMs === 0) firstLostAtMs = nowMs()
    client.connected = false
    client.backAtMs = Infinity
  }

  function pageClient(url: string): Client {
    const client: Client = { connected: false, backAtMs: Infinity, stop: () => undefined }
    // As a page does: what was missed is replayed, and that counts.
    let cursor: Cursor | undefined
    const link = createLink({
      url,
      page: noPage,
      timing: defaultTiming,
      auth: () => ({ channel: 'messages', ...(cursor === undefined ? {} : { cursor }) }),
      addListeners: (socket) => {
        socket.on(events.cursor, (confirmed) => (cursor = confirmed))
        socket.on(events.receiveMessage, (_message, position) => (cursor = position))
      },
      onConnect: () => arrived(client),
      onDisconnect: () => lost(client),
      onRejected: () => false,
    })
    client.stop = link.stop
    link.start()
    return client
  }

  function stockClient(url: string): Client {
    const socket = io(url, { transports: ['websocket'], forceNew: true })
    const client: Client = { connected: false, backAtMs: Infinity, stop: () => socket.disconnect() }
    socket.on('connect', () => arrived(client))
    socket.on('disconnect', () => lost(client))
    return client
  }

  async function connect({ port, clients: count, kind }: ReturningOrder) {
    const url = `http://127.0.0.1:${port}`
    while (clients.length < count) {
      clients.push(kind === 'page' ? pageClient(url) : stockClient(url))
      if (clients.length % 50 === 0) await wait(20)
    }
    const deadline = nowMs() + 30_000
    while (!clients.every(({ connected }) => connected) && nowMs() < deadline) await wait(20)
    return { connected: clients.filter(({ connected }) => connected).length }
  }

  return {
    connect,
    watch(): null {
      watching = true
      firstLostAtMs = 0
      for (const client of clients) client.backAtMs = client.connected ? Infinity : client.backAtMs
      return null
    },
    async returned({ withinMs }: { withinMs: number }) {
      const deadline = nowMs() + withinMs
      while (!clients.every(({ backAtMs }) => backAtMs !== Infinity) && nowMs() < deadline) await wait(20)
      return { firstLostAtMs, backAtMs: clients.map(({ backAtMs }) => backAtMs) }
    },
    leave(): null {
      watching = false
      for (const { stop } of clients.splice(0)) stop()
      return null
    },
  }
}

serveCalls<ReturningCalls>(createReturningClients())
