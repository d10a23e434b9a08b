import { expect, type Page } from '@playwright/test'
import { connectClient } from '../support/socket-client.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { blankCharacters, invisibleCharacters } from '../../contract/blank-characters.ts'
import { codesMatching, findUndrawn } from '../../scripts/characters/drawn-characters.ts'
import { test } from './fixtures.ts'
import { enterRoom, room } from '../support/room-page.ts'

const forged = '[1/2/2026, 3:04:05 AM] bob : I agree'

/** Waits for `count` entries and returns the height and the text of the last entry. */
async function lastEntry(page: Page, count: number) {
  const { entries } = room(page)
  await expect(entries).toHaveCount(count)
  // An entry has an estimated height until the browser determines that it is in view (content-visibility).
  await waitForStableLayout(page)
  return entries.nth(count - 1).evaluate((entry) => ({
    height: entry.getBoundingClientRect().height,
    text: entry.textContent ?? '',
  }))
}

test('SHOWN-4 no run of white space in a message moves a forged entry to a separate line', async ({
  page,
  application,
}) => {
  await page.setViewportSize({ width: 1600, height: 900 })
  await enterRoom(page)
  const mallory = await connectClient(application.url, 'mallory')
  await mallory.send(`well ${forged}`)
  const { height } = await lastEntry(page, 1)
  const runs = ['\u3000', '\u2003', '\u00a0', '\u3164', '\u2800', ' \u200b', '\u2028', '\u0085', '\u{1d159}']
  for (const [index, run] of runs.entries()) {
    const message = `well${run.repeat(150)}${forged}`
    expect(await mallory.send(message)).toMatchObject({ ok: true })
    const entry = await lastEntry(page, index + 2)
    expect(entry.text.endsWith(`mallory (not loggedin) : ${message}`)).toBe(true)
    expect(Math.round(entry.height), JSON.stringify(run)).toBe(Math.round(height))
  }
  mallory.disconnect()
})

test('SHOWN-4 lines of a message are indented in a block of limited height, so that none looks like an entry', async ({
  page,
  application,
}) => {
  await page.setViewportSize({ width: 1600, height: 900 })
  await enterRoom(page)
  const mallory = await connectClient(application.url, 'mallory')
  await mallory.send('well')
  const { height: lineHeight } = await lastEntry(page, 1)
  // Each message takes at least three lines: one with time and name, and two of its own.
  const messages = [
    { message: `well\n${forged}`, maxLines: 3 },
    { message: `well${'\n \u3000\u2028'.repeat(150)}${forged}\n\n\n`, maxLines: 4 },
    { message: `well\n${'.\n'.repeat(1_900)}${forged}`, maxLines: 110 },
  ]
  for (const [index, { message, maxLines }] of messages.entries()) {
    expect(await mallory.send(message)).toMatchObject({ ok: true })
    const entry = await lastEntry(page, index + 2)
    expect(entry.text.endsWith(`mallory (not loggedin) : ${message}`)).toBe(true)
    expect(entry.height).toBeGreaterThan(lineHeight + 24)
    expect(entry.height).toBeLessThanOrEqual(maxLines * lineHeight)
    // Each value is the start of a text line: the first line has the time and the name, and the other lines are
    // indented behind a bar.
    const starts = await room(page)
      .entries.nth(index + 1)
      .evaluate((element) => {
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        const start = element.getBoundingClientRect().left
        const found: number[] = []
        while (texts.nextNode() !== null) {
          if (texts.currentNode.parentElement?.closest('bdi') === null) continue
          const range = document.createRange()
          range.selectNodeContents(texts.currentNode)
          const { left, width } = range.getBoundingClientRect()
          if (width > 0) found.push(left - start)
        }
        return found
      })
    expect(Math.min(...starts)).toBeGreaterThan(24)
  }
  mallory.disconnect()
})

test('SHOWN-4 every character that the browser does not draw counts as blank or invisible', async ({ page }) => {
  const known = new RegExp(`[${blankCharacters}${invisibleCharacters}]`, 'u')
  // Letters, digits and marks are drawn. The test skips U+E0000 and above: these
  // characters are invisible, and most are unassigned.
  const candidates = codesMatching(/[\p{Z}\p{Cf}\p{S}\p{P}\p{Default_Ignorable_Code_Point}]/u)
  const undrawn = await findUndrawn(
    page,
    candidates.filter((code) => code < 0xe0000),
  )
  expect(undrawn).toContain(0xfff9)
  expect(undrawn.filter((code) => !known.test(String.fromCodePoint(code))).map((code) => code.toString(16))).toEqual([])
})

test('SHOWN-2 stacked combining marks do not paint over other entries', async ({ page, application }) => {
  await enterRoom(page)
  const mallory = await connectClient(application.url, 'mallory')
  const { entries } = room(page)
  for (const text of ['first', 'second', 'third']) await mallory.send(text)
  await expect(entries).toHaveCount(3)
  const takeScreenshot = () => entries.nth(2).screenshot({ animations: 'disabled' })
  await waitForStableLayout(page)
  const before = await takeScreenshot()
  await mallory.send(`${'\u0301\u0302\u0308\u0300'.repeat(50)}z${'\u0301\u0302\u0308\u0300'.repeat(50)}`.repeat(9))
  await expect(entries).toHaveCount(4)
  await waitForStableLayout(page)
  expect((await takeScreenshot()).equals(before)).toBe(true)
  mallory.disconnect()
})

test('SHOWN-3 a link is displayed left to right, and a misleading URL stays text', async ({ page, application }) => {
  await enterRoom(page)
  const mallory = await connectClient(application.url, 'mallory')
  for (const text of [
    'see \u202ehttp://gro.elpmaxe/',
    'http://bank.com@evil.example/',
    'http://b\u0430nk.com/',
    'http://fair.example/',
  ]) {
    await mallory.send(text)
  }
  const { entries, list } = room(page)
  await expect(entries).toHaveCount(4)
  await expect(list.locator('a')).toHaveCount(1)
  await expect(list.locator('a')).toHaveAttribute('href', 'http://fair.example/')
  await expect(list.locator('a')).toHaveCSS('unicode-bidi', 'isolate')
  mallory.disconnect()
})
