import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Application, noLimits, startApplication } from '../support/application.ts'
import { registerAccount } from '../support/accounts.ts'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { chromium } from './chromium.ts'
import type { EngineBrowser } from './engine.ts'
import { firefox } from './firefox.ts'
import { pollOptions, roomOf, selectors } from './room-driver.ts'
import { webkit } from './webkit.ts'

/**
 * Window sizes. An engine that does not support a size uses its minimum size instead. For such an engine, the tests at
 * 200 % text size cover the smaller sizes.
 */
const sizes = [
  { width: 320, height: 256 },
  { width: 390, height: 330 },
  { width: 844, height: 250 },
  { width: 1280, height: 800 },
]

describe.each([chromium, firefox, webkit])('ENGINES-2 to ENGINES-5 in $name', (engine) => {
  let server: Application
  let browser: EngineBrowser

  beforeAll(async () => {
    server = await startApplication(['server/main.ts'], noLimits)
    browser = await engine.launch()
  })
  afterAll(async () => {
    await browser.close()
    await server.dispose()
  })

  test(`ENGINES-2 ${engine.name}: the message field is wide enough and fully in view at any window and text size`, async () => {
    const { page } = browser
    const room = roomOf(page)
    await room.enter(server.url)
    for (const { width, height } of sizes) {
      await page.resize(width, height)
      for (const text of [100, 200]) {
        await page.evaluate(
          ({ percent, field }) => {
            document.documentElement.style.fontSize = `${percent}%`
            document.querySelector<HTMLInputElement>(field)?.blur()
            document.querySelector<HTMLInputElement>(field)?.focus()
          },
          { percent: text, field: selectors.message },
        )
        const problems = () =>
          page.evaluate(
            ({ field, send }) => {
              const box = document.querySelector(field)?.getBoundingClientRect()
              const other = document.querySelector(send)?.getBoundingClientRect()
              const rowPx = document.querySelector('form')?.getBoundingClientRect().width ?? 0
              if (box === undefined || other === undefined) return ['there is no field']
              const found: string[] = []
              if (box.width < 160 || box.width < rowPx / 2) found.push(`${box.width} px of ${rowPx}`)
              if (box.top < -1 || box.bottom > window.innerHeight + 1) found.push(`${box.top}–${box.bottom} px`)
              if (other.left < box.right && other.right > box.left && other.top < box.bottom) found.push('overlap')
              return found
            },
            { field: selectors.message, send: selectors.send },
          )
        await expect
          .poll(async () => ({ width, height, text, problems: await problems() }), pollOptions)
          .toEqual({
            width,
            height,
            text,
            problems: [],
          })
      }
    }
    await page.resize(1280, 800)
  })

  test(`ENGINES-3 ${engine.name}: messages sent in quick succession arrive once and in order, also across a restart`, async () => {
    const { page } = browser
    const room = roomOf(page)
    await room.enter(server.url)
    await page.click(selectors.message)
    const words = ['alpha', 'bravo', 'charlie', 'delta']
    for (const word of words) {
      await page.type(word)
      await page.press('Enter')
    }
    await room.untilTexts(words)
    await room.untilFieldIs('')

    await server.kill()
    await room.until('lost')
    await page.type('echo')
    await page.press('Enter')
    await page.type('foxtrot')
    await page.press('Enter')
    await server.start()
    await room.until('live')
    await room.untilTexts([...words, 'echo', 'foxtrot'])
  })

  test(`ENGINES-4 ${engine.name}: a list scrolled up keeps its position when messages arrive, and sending scrolls to the end`, async () => {
    const { page } = browser
    const room = roomOf(page)
    await room.enter(server.url)
    const ann = await connectClient(server.url, 'ann')
    await ann.sendAll(numberedTexts(80))
    await expect.poll(async () => (await room.texts()).length, pollOptions).toBe(80)
    const scroll = (to?: number) =>
      page.evaluate(
        ({ list, top }) => {
          const view = document.querySelector(list)
          if (view === null) throw new Error('no list')
          if (top !== null) view.scrollTop = top
          return { top: view.scrollTop, toEnd: view.scrollHeight - view.clientHeight - view.scrollTop }
        },
        { list: selectors.list, top: to ?? null },
      )
    await expect.poll(async () => (await scroll()).toEnd, pollOptions).toBeLessThanOrEqual(2)
    const { top } = await scroll(200)
    await ann.sendAll(numberedTexts(5, 'later'))
    await expect.poll(async () => (await room.texts()).length, pollOptions).toBe(85)
    expect(Math.abs((await scroll()).top - top)).toBeLessThanOrEqual(2)
    await page.click(selectors.message)
    await page.type('mine')
    await page.press('Enter')
    await expect.poll(async () => (await room.texts()).at(-1), pollOptions).toBe('mine')
    await expect.poll(async () => (await scroll()).toEnd, pollOptions).toBeLessThanOrEqual(2)
    ann.disconnect()
  })

  test(`ENGINES-5 ${engine.name}: a user can log in, send as the account and list users`, async () => {
    const { page } = browser
    const room = roomOf(page)
    const account = await registerAccount(server.url)
    await page.open(`${server.url}/login`)
    await room.until('live')
    await page.click('input[name=name]')
    await page.type(account.name)
    await page.click('input[name=password]')
    await page.type(account.password)
    await page.press('Enter')
    const body = () => page.evaluate(() => document.body.textContent ?? '', null)
    await expect.poll(body, pollOptions).toContain(`User logged in as : ${account.name}`)
    await room.until('live')
    await page.click(selectors.message)
    await page.type('as myself')
    await page.press('Enter')
    await expect.poll(async () => (await room.entries()).at(-1), pollOptions).toContain(`${account.name} : as myself`)

    await page.evaluate((data) => localStorage.setItem('userData', data), JSON.stringify(account.response))
    await page.open(`${server.url}/fetchusers`)
    await expect.poll(body, pollOptions).toContain(account.email)
  })
})
