import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { chromiumOptions, launchChromium } from '../../scripts/chromium.ts'
import { leadMs, openRoom } from '../harness/room.ts'
import { room as roomOn } from '../../tests/support/room-page.ts'
import { unavailable } from '../peers/peer.ts'
import type { BrowserResult, Scenario } from './scenario.ts'

const rate = 1_000

/** Installed before the page's own scripts: notes every long task and how long each key stroke took to be painted. */
function watchPage(): void {
  const seen = { tasks: [] as { atMs: number; tookMs: number }[], typingMs: [] as number[] }
  Object.assign(globalThis, { benchSeen: seen })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push({ atMs: entry.startTime, tookMs: entry.duration })
  }).observe({ type: 'longtask', buffered: true })
  addEventListener(
    'keydown',
    (event) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => seen.typingMs.push(performance.now() - event.timeStamp)
      // A message posted in an animation frame is handled after that frame was painted.
      requestAnimationFrame(() => port2.postMessage(null))
    },
    { capture: true },
  )
}

interface Seen {
  tasks: { atMs: number; tookMs: number }[]
  typingMs: number[]
}

/** As the page marks them (`web/room/entry/message-entry.tsx`); notices that stand between them are none. */
const entries = 'li.entry:not([data-kind])'

/** A real page in a room where 1,000 messages a second are said. */
async function watchRoom(peer: Parameters<Scenario['measure']>[0], seconds: number): Promise<BrowserResult> {
  const { executablePath } = chromiumOptions
  if (!existsSync(executablePath)) throw unavailable(`${executablePath} is not installed`)
  const room = await openRoom(peer, 20)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.addInitScript(watchPage)
    await page.goto(`http://127.0.0.1:${room.server.port}/`)
    const { message: input } = roomOn(page)
    await input.waitFor()
    const { messages: warmUpMessages } = await room.burst({ rate: 20, seconds: 1 })
    const startedMs = (await page.evaluate(() => performance.now())) + leadMs(rate * seconds)
    const burst = room.burst({ rate, seconds, sleeps: true })
    // By the browser itself: a locator walks every element of the page that is measured.
    const nodes = async () => await page.evaluate((selector) => document.querySelectorAll(selector).length, entries)
    let messageNodes = 0
    await input.focus()
    const until = Date.now() + leadMs(rate * seconds) + seconds * 1_000
    while (Date.now() < until) {
      await page.keyboard.type('x')
      await wait(300)
      messageNodes = Math.max(messageNodes, await nodes())
    }
    const { messages } = await burst
    await wait(1_000)
    const numbers = await page
      .locator(entries)
      .evaluateAll((items) => items.map((item) => (item as HTMLLIElement).value))
    const last = Math.max(0, ...numbers)
    const seen = await page.evaluate(() => (globalThis as unknown as { benchSeen: Seen }).benchSeen)
    const late = seen.tasks.filter(({ atMs }) => atMs > startedMs + 1_000)
    const typing = seen.typingMs.toSorted((a, b) => a - b)
    return {
      seconds,
      rate,
      received: last,
      sent: warmUpMessages + messages,
      longestTaskMs: Math.max(0, ...late.map(({ tookMs }) => tookMs)),
      tasksOver50Ms: late.filter(({ tookMs }) => tookMs > 50).length,
      typingP95Ms: typing[Math.floor(typing.length * 0.95)] ?? Number.NaN,
      typingSamples: typing.length,
      messageNodes,
    }
  } finally {
    await browser.close()
    await room.close()
  }
}

export const browser: Scenario = {
  name: 'browser',
  title: 'The page in Chromium at 1,000 msg/s',
  able: ['app'],
  peers: ['app'],
  quickPeers: [],
  maxRuns: 1,
  expectedSeconds: (_peer, quick) => (quick ? 18 : 70),
  measure: async (peer, { quick }) => ({ scenario: 'browser', page: await watchRoom(peer, quick ? 10 : 60) }),
}
