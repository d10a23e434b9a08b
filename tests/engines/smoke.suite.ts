import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Application, startApplication } from '../support/application.ts'
import { serverEntry } from '../support/server-entry.ts'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import type { Engine, EngineBrowser } from './engine.ts'
import { entriesWithNumber } from './entry-numbers.ts'
import { failFirstRequests } from './failing-files.ts'
import { pollOptions, roomOf, selectors } from './room-driver.ts'

const entryPattern = /^\[[^\]]+\] anonymous \(not loggedin\) : hello from here$/

/** Matches the chunks that the room loads when the first message arrives, or earlier. */
const lazyChunks = /\/assets\/(message-scroller|names)-/

/**
 * Defines the tests that `npm test` runs in each engine. Each engine has its own test file, so that two engines can run
 * in parallel.
 */
export function smokeTests(engine: Engine) {
  let server: Application
  let browser: EngineBrowser

  beforeAll(async () => {
    server = await startApplication([serverEntry])
    browser = await engine.launch()
  })
  afterAll(async () => {
    await browser.close()
    await server.dispose()
  })

  // In Chromium, `tests/e2e` tests the same behaviour.
  if (engine.name !== 'Chromium') {
    test(`ENGINES-1 ${engine.name}: a visitor sends and receives messages, loses the connection and reconnects`, async () => {
      const { page } = browser
      const room = roomOf(page)
      await room.enter(server.url)
      await page.click(selectors.message)
      await page.type('hello from here')
      await page.press('Enter')
      await room.untilTexts(['hello from here'])
      await room.untilFieldIs('')
      expect((await room.entries())[0]).toMatch(entryPattern)

      const ann = await connectClient(server.url, 'ann')
      await ann.send('hello from there')
      await room.untilTexts(['hello from here', 'hello from there'])
      ann.disconnect()

      await server.kill()
      await room.until('lost')
      await page.type('kept meanwhile')
      await page.press('Enter')
      await server.start()
      await room.until('live')
      await room.untilTexts(['hello from here', 'hello from there', 'kept meanwhile'])
      await room.untilFieldIs('')
    })

    test(`WRITING-8 ${engine.name}: the message field grows to five lines, and Enter sends them`, async () => {
      const { page } = browser
      const room = roomOf(page)
      await room.enter(server.url)
      const heightPx = () =>
        page.evaluate((field) => document.querySelector<HTMLElement>(field)?.offsetHeight, selectors.message)
      const oneLinePx = (await heightPx()) ?? 0
      await page.click(selectors.message)
      for (const [index, line] of numberedTexts(7, 'line').entries()) {
        if (index > 0) await page.press('Shift+Enter')
        await page.type(line)
        await expect.poll(heightPx, pollOptions).toBe(oneLinePx + Math.min(index, 4) * 24)
      }
      const text = numberedTexts(7, 'line').join('\n')
      await room.untilFieldIs(text)
      await page.press('Enter')
      await room.untilTexts([text])
      await expect.poll(heightPx, pollOptions).toBe(oneLinePx)
    })
  }

  test(`CHAT-7 ${engine.name}: the number of every entry is painted when the entry arrives`, async () => {
    const { page } = browser
    const room = roomOf(page)
    await room.enter(server.url)
    await page.resize(1280, 900)
    await page.click(selectors.message)
    const ann = await connectClient(server.url, 'ann')
    const painted: number[] = []
    for (const text of numberedTexts(8)) {
      await ann.send(text)
      painted.push(painted.length)
      await expect.poll(async () => (await room.texts()).at(-1), pollOptions).toBe(text)
      // A screenshot may show an earlier frame than the document.
      await expect.poll(() => entriesWithNumber(page), pollOptions).toEqual(painted)
    }
    ann.disconnect()
  })

  test(`ENGINES-6 ${engine.name}: a chunk whose first request failed is requested again, and no message is lost`, async () => {
    const proxy = await failFirstRequests(server.url, lazyChunks)
    try {
      const room = roomOf(browser.page)
      await room.enter(proxy.url)
      const ann = await connectClient(server.url, 'ann')
      await ann.send('before the code')
      await expect.poll(() => proxy.failed.size, pollOptions).toBe(2)
      await ann.send('after the failure')
      ann.disconnect()
      await room.untilTexts(['before the code', 'after the failure'])
    } finally {
      await proxy.close()
    }
  })
}
