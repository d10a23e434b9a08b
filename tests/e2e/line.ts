import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { events } from '../../contract/events.ts'

/** A line between page and server that the test can slow down, rob of its messages, or cut. */
export async function layLine(page: Page) {
  const line = { delayMs: 0, dropsMessages: false, isCut: false }
  const open = new Set<{ close: () => Promise<void> }>()
  await page.route('**/socket.io/**', (route) => (line.isCut ? route.abort() : route.continue()))
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    if (line.isCut) return void socket.close()
    const server = socket.connectToServer()
    open.add(socket)
    socket.onMessage(async (frame) => {
      if (line.dropsMessages && String(frame).includes(events.sendMessage)) return
      if (line.delayMs > 0) await delay(line.delayMs)
      server.send(frame)
    })
    server.onMessage(async (frame) => {
      if (line.delayMs > 0) await delay(line.delayMs)
      socket.send(frame)
    })
  })
  return {
    ...line,
    set: (state: Partial<typeof line>) => Object.assign(line, state),
    async cut() {
      line.isCut = true
      for (const socket of open) await socket.close()
      open.clear()
    },
  }
}
