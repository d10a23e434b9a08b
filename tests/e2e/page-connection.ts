import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { events } from '../../contract/events.ts'

/**
 * Intercepts the connections of a page, so that the test can delay frames, drop sent messages, or close and block
 * connections.
 */
export async function interceptConnection(page: Page) {
  const state = { delayMs: 0, dropsMessages: false, isBlocked: false }
  const open = new Set<{ close: () => Promise<void> }>()
  await page.route('**/socket.io/**', (route) => (state.isBlocked ? route.abort() : route.continue()))
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    if (state.isBlocked) return void socket.close()
    const server = socket.connectToServer()
    open.add(socket)
    socket.onMessage(async (frame) => {
      if (state.dropsMessages && String(frame).includes(events.sendMessage)) return
      if (state.delayMs > 0) await delay(state.delayMs)
      server.send(frame)
    })
    server.onMessage(async (frame) => {
      if (state.delayMs > 0) await delay(state.delayMs)
      socket.send(frame)
    })
  })

  /** Closes all connections and rejects new connections. */
  async function block() {
    state.isBlocked = true
    for (const socket of open) await socket.close()
    open.clear()
  }

  /** Accepts connections again. The event `online` makes the page reconnect without waiting for its back-off. */
  async function unblock() {
    state.isBlocked = false
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
  }

  return {
    set: (changes: Partial<typeof state>) => Object.assign(state, changes),
    block,
    unblock,
    /**
     * Closes all connections and lets the page reconnect, so that the page resends unacknowledged messages without
     * waiting for the acknowledgement timeout.
     */
    async reconnect() {
      await block()
      await unblock()
    },
  }
}
