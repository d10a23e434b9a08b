import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { chromiumOptions, launchChromium } from '../../scripts/chromium.ts'
import { leadMs, openRoom } from '../harness/room.ts'
import { room as roomOn } from '../../tests/support/room-page.ts'
import { unavailable } from '../peers/peer.ts'
import type { BrowserResult, Scenario } from './scenario.ts'

const rate = 1_000

/** Records long tasks and the time from each keystroke to its paint. Runs in the page before its scripts. */
function installObservers(): void {
  const measurements = { tasks: [] as { atMs: number; durationMs: number }[], typingMs: [] as number[] }
  Object.assign(globalThis, { benchMeasurements: measurements })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      measurements.tasks.push({ atMs: entry.startTime, durationMs: entry.duration })
  }).observe({ type: 'longtask', buffered: true })
  addEventListener(
    'keydown',
    (event) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => measurements.typingMs.push(performance.now() - event.timeStamp)
      // A message posted in an animation frame callback arrives after that frame is painted.
      requestAnimationFrame(() => port2.postMessage(null))
    },
    { capture: true },
  )
}

interface PageMeasurements {
  tasks: { atMs: number; durationMs: number }[]
  typingMs: number[]
}

/** Selector of messages, without notices (`web/room/entry/message-entry.tsx`). */
const entries = 'li.entry:not([data-kind])'

/** Measures the page in a room with 1,000 messages a second. */
async function measurePage(peer: Parameters<Scenario['measure']>[0], seconds: number): Promise<BrowserResult> {
  const { executablePath } = chromiumOptions
  if (!existsSync(executablePath)) throw unavailable(`Chromium not installed: ${executablePath}`)
  const room = await openRoom(peer, 20)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.addInitScript(installObservers)
    await page.goto(`http://127.0.0.1:${room.server.port}/`)
    const { message: input } = roomOn(page)
    await input.waitFor()
    const { messages: warmUpMessages } = await room.burst({ rate: 20, seconds: 1 })
    const startedMs = (await page.evaluate(() => performance.now())) + leadMs(rate * seconds)
    const burst = room.burst({ rate, seconds, canSleep: true })
    // Do not use a locator: it would traverse every element of the measured page.
    const nodes = async () => await page.evaluate((selector) => document.querySelectorAll(selector).length, entries)
    let messageNodes = 0
    await input.focus()
    const endMs = Date.now() + leadMs(rate * seconds) + seconds * 1_000
    while (Date.now() < endMs) {
      await page.keyboard.type('x')
      await wait(300)
      messageNodes = Math.max(messageNodes, await nodes())
    }
    const { messages } = await burst
    await wait(1_000)
    const numbers = await page
      .locator(entries)
      .evaluateAll((items) => items.map((item) => (item as HTMLLIElement).value))
    const lastNumber = Math.max(0, ...numbers)
    const measurements = await page.evaluate(
      () => (globalThis as unknown as { benchMeasurements: PageMeasurements }).benchMeasurements,
    )
    const steadyTasks = measurements.tasks.filter(({ atMs }) => atMs > startedMs + 1_000)
    const typing = measurements.typingMs.toSorted((a, b) => a - b)
    return {
      seconds,
      rate,
      received: lastNumber,
      sent: warmUpMessages + messages,
      longestTaskMs: Math.max(0, ...steadyTasks.map(({ durationMs }) => durationMs)),
      tasksOver50Ms: steadyTasks.filter(({ durationMs }) => durationMs > 50).length,
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
  title: 'Page in Chromium at 1,000 msg/s',
  supportedPeers: ['app'],
  peers: ['app'],
  quickPeers: [],
  maxRuns: 1,
  expectedSeconds: (_peer, quick) => (quick ? 18 : 70),
  measure: async (peer, { quick }) => ({ scenario: 'browser', page: await measurePage(peer, quick ? 10 : 60) }),
}
