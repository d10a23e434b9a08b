import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Application, startApplication } from '../support/application.ts'
import { join } from '../support/crowd.ts'
import type { EngineBrowser } from './engine.ts'
import { firefox } from './firefox.ts'
import { roomOf, selectors } from './room-walk.ts'
import { webkit } from './webkit.ts'

/** Chromium has the browser tests to itself. */
const entryForm = /^\[[^\]]+\] anonymous \(not loggedin\) : hello from here$/

describe.each([firefox, webkit])('ENGINES-1 $name', (engine) => {
  let server: Application
  let browser: EngineBrowser

  beforeAll(async () => {
    server = await startApplication(['server/main.ts'])
    browser = await engine.launch()
  })
  afterAll(async () => {
    await browser.close()
    await server.dispose()
  })

  test(`ENGINES-1 ${engine.name}: a visitor writes, reads, loses the connection and comes back`, async () => {
    const { page } = browser
    const room = roomOf(page)
    await room.enter(server.url)
    await page.click(selectors.message)
    await page.type('hello from here')
    await page.press('Enter')
    await room.untilTexts(['hello from here'])
    await room.untilFieldIs('')
    expect((await room.entries())[0]).toMatch(entryForm)

    const ann = await join(server.url, 'ann')
    await ann.say('hello from there')
    await room.untilTexts(['hello from here', 'hello from there'])
    ann.leave()

    await server.kill()
    await room.until('lost')
    await page.type('kept meanwhile')
    await page.press('Enter')
    await server.start()
    await room.until('live')
    await room.untilTexts(['hello from here', 'hello from there', 'kept meanwhile'])
    await room.untilFieldIs('')
  })
})
