import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { noLimits, startApplication } from '../tests/support/application.ts'
import { percentile } from '../tests/security/measure/statistics.ts'
import { enterRoom, room } from '../tests/support/room-page.ts'
import { connectClient, numberedTexts } from '../tests/support/socket-client.ts'
import { launchChromium } from './chromium.ts'
import { ensureBuild } from './build/ensure-build.ts'
import { logLine } from './steps.ts'

/** Factor by which the page runs slower than the machine, like a cheap phone. */
const slowdown = 6
const floods = 5
const batches = 10
const messagesPerBatch = 100
const batchEveryMs = 100
const keyEveryMs = 120
const maxNewestMs = 1_500
const maxTypingMs = 200
/** Minimum duration of an event that browsers report. */
const reportedFromMs = 16

interface Recording {
  durations: number[]
  /** Resolves to the time at which the last message was painted. */
  painted: Promise<number>
}

/** Starts recording the time from each key press to its paint, and the time at which the last message is painted. */
function startRecording(lastText: string) {
  const durations: number[] = []
  const { promise: painted, resolve } = Promise.withResolvers<number>()
  Object.assign(window, { recording: { durations, painted } })
  const scroller = document.querySelector('.message-scroller')
  if (scroller === null) throw new Error('no list of messages')
  const keys = (list: PerformanceObserverEntryList) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') durations.push(duration)
  }
  new PerformanceObserver(keys).observe({ type: 'event', buffered: false, durationThreshold: 16 } as object)
  new MutationObserver((_changes, observer) => {
    const last = scroller.querySelector(':scope > ol > li:last-child')
    if (last?.textContent?.endsWith(lastText) !== true) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
  }).observe(scroller, { childList: true, subtree: true })
}

/**
 * Waits until the last message is painted, and returns the recording. No script polls in the page, because that would
 * slow the page down.
 */
const recorded = (page: Page) =>
  page.evaluate(async () => {
    const { durations, painted } = Reflect.get(window, 'recording') as Recording
    return { paintedAtMs: await painted, durations }
  })

/** Types until the signal aborts. Returns the number of key presses. */
async function type(page: Page, signal: AbortSignal): Promise<number> {
  let keys = 0
  for (; !signal.aborted; keys++) {
    await Promise.all([page.keyboard.press('a'), wait(keyEveryMs)])
  }
  return keys
}

/**
 * Sends a flood to a new page while a user types. Returns the time until the newest message was painted, and the time
 * until the paint for each key press. Keys that the browser does not report count as `reportedFromMs`.
 */
async function flood(browser: Browser, url: string): Promise<{ newestMs: number; keysMs: number[] }> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await enterRoom(page, url)
  const ann = await connectClient(url, 'ann')
  await ann.send('first')
  await room(page).entries.first().waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.evaluate(startRecording, `batch ${batches} message ${messagesPerBatch}`)
  await room(page).message.focus()
  const stop = new AbortController()
  const typing = type(page, stop.signal)
  let lastSentAtMs = 0
  for (let batch = 1; batch <= batches; batch++) {
    lastSentAtMs = Date.now()
    await Promise.all([ann.sendAll(numberedTexts(messagesPerBatch, `batch ${batch} message`)), wait(batchEveryMs)])
  }
  const { durations, paintedAtMs } = await recorded(page)
  stop.abort()
  const keys = await typing
  ann.disconnect()
  await page.close()
  const unreported = Array.from({ length: Math.max(0, keys - durations.length) }, () => reportedFromMs)
  return { newestMs: paintedAtMs - lastSentAtMs, keysMs: [...unreported, ...durations] }
}

await ensureBuild()
const application = await startApplication(['server/main.ts'], noLimits)
const browser = await launchChromium()
try {
  const runs: Awaited<ReturnType<typeof flood>>[] = []
  for (let run = 0; run < floods; run++) runs.push(await flood(browser, application.url))
  const newest = runs.map(({ newestMs }) => newestMs)
  const keys = runs.flatMap(({ keysMs }) => keysMs)
  const [newestMs, typingMs] = [percentile(newest, 50), percentile(keys, 95)]
  logLine(
    `flood: newest message painted after ${newestMs} ms (median of ${newest.join(', ')}; limit ${maxNewestMs}), ` +
      `key press p95 ${typingMs} ms (${keys.length} keys, slowest ${Math.max(...keys)}; limit ${maxTypingMs}); ` +
      `${floods} floods of ${batches * messagesPerBatch} messages, processor throttled ${slowdown} ×`,
  )
  if (newestMs > maxNewestMs || typingMs > maxTypingMs) process.exitCode = 1
} finally {
  await browser.close()
  await application.dispose()
}
