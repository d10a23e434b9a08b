import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { noLimits, startApplication } from '../tests/support/application.ts'
import { enterRoom, room } from '../tests/support/room-page.ts'
import { connectClient, numberedTexts } from '../tests/support/socket-client.ts'
import { launchChromium } from './chromium.ts'
import { ensureBuild } from './ensure-build.ts'
import { logLine } from './steps.ts'

/** The page runs this much slower than the machine, like a cheap phone. */
const slowdown = 6
const batches = 10
const messagesPerBatch = 100
const batchEveryMs = 100
const keyEveryMs = 120
const maxNewestMs = 1_500
const maxTypingMs = 200
/** Shortest duration of an event that browsers report. */
const reportedFromMs = 16

/** Starts recording the durations of keys until their next paint, and the time at which the last message is painted. */
function startRecording(lastText: string) {
  const durations: number[] = []
  const recording = { durations, paintedAtMs: 0 }
  Object.assign(window, { recording })
  const keys = (list: PerformanceObserverEntryList) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') durations.push(duration)
  }
  new PerformanceObserver(keys).observe({ type: 'event', buffered: false, durationThreshold: 16 } as object)
  new MutationObserver((_changes, observer) => {
    const last = document.querySelector('.message-scroller > ol > li:last-child')
    if (last?.textContent?.endsWith(lastText) !== true) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => void (recording.paintedAtMs = Date.now())))
  }).observe(document.body, { childList: true, subtree: true })
}

const recorded = (page: Page) =>
  page.evaluate(() => Reflect.get(window, 'recording') as { durations: number[]; paintedAtMs: number })

/** Types until the signal, and returns the number of keys. */
async function type(page: Page, signal: AbortSignal): Promise<number> {
  let keys = 0
  for (; !signal.aborted; keys++) {
    await Promise.all([page.keyboard.press('a'), wait(keyEveryMs)])
  }
  return keys
}

await ensureBuild()
const application = await startApplication(['server/main.ts'], noLimits)
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await enterRoom(page, application.url)
  const ann = await connectClient(application.url, 'ann')
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
  await page.waitForFunction(
    () => (Reflect.get(window, 'recording') as { paintedAtMs: number }).paintedAtMs > 0,
    null,
    {
      timeout: 120_000,
    },
  )
  stop.abort()
  const keys = await typing
  ann.disconnect()
  const { durations, paintedAtMs } = await recorded(page)
  const all = [...Array.from({ length: Math.max(0, keys - durations.length) }, () => reportedFromMs), ...durations]
  const sorted = all.toSorted((one, other) => one - other)
  const p95Ms = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
  const newestMs = paintedAtMs - lastSentAtMs
  const isFine = newestMs <= maxNewestMs && p95Ms <= maxTypingMs
  logLine(
    `flood of ${batches * messagesPerBatch} messages, page slowed down ${slowdown} times: newest message painted after ` +
      `${newestMs} ms (at most ${maxNewestMs}), typing p95 ${p95Ms} ms (at most ${maxTypingMs}), ${keys} keys`,
  )
  if (!isFine) process.exitCode = 1
} finally {
  await browser.close()
  await application.dispose()
}
