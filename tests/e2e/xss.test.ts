import type { Page } from '@playwright/test'
import { maxNameCharacters } from '../../contract/limits.ts'
import { anonymousLabel } from '../../contract/anonymous-label.ts'
import { cleanAnonymousName, normalizeName, findNameProblem } from '../../contract/names.ts'
import { logIn, registerAccount } from '../support/accounts.ts'
import { connectClient } from '../support/socket-client.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, room } from '../support/room-page.ts'
import { xssCorpus } from './xss-corpus.ts'

declare global {
  var cspViolations: string[]
}

/** Records signs that a text was executed: alerts, popups, requests to other origins, violations of the CSP. */
async function watchForExecution(page: Page, url: string) {
  const alerts: string[] = []
  const others: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('popup', (popup) => others.push(`popup: ${popup.url()}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:image/')) others.push(request.url())
  })
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) others.push(message.text())
  })
  await page.addInitScript(() => {
    globalThis.cspViolations = []
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      globalThis.cspViolations.push(`${violatedDirective} ${blockedURI}`),
    )
  })
  return {
    async expectNone(expectedAlerts: string[] = []) {
      expect(alerts).toStrictEqual(expectedAlerts)
      expect(others).toStrictEqual([])
      expect(await page.evaluate(() => globalThis.cspViolations)).toStrictEqual([])
    },
  }
}

const nameFrom = (text: string) => text.slice(0, maxNameCharacters)

/** Elements that the page never uses in names and messages. */
const foreignElements =
  'script, img, iframe, object, embed, style, link, meta, base, form, input, video, math, template, x'

test('SECURITY-5 script payloads sent as names and messages are shown as text and not executed', async ({
  page,
  application,
}) => {
  const watch = await watchForExecution(page, application.url)
  await enterRoom(page)
  for (const text of xssCorpus) {
    const sender = await connectClient(application.url, nameFrom(text))
    expect(await sender.send(text)).toMatchObject({ ok: true })
    sender.disconnect()
  }
  const { entries, list } = room(page)
  await expect(entries).toHaveCount(xssCorpus.length)
  const shown = await entries.evaluateAll((items) => items.map((item) => item.textContent))
  const expected = xssCorpus.map((text) => `${anonymousLabel(cleanAnonymousName(nameFrom(text)) ?? '')} : ${text}`)
  expect(shown.map((line) => line?.slice(line.indexOf('] ') + 2))).toStrictEqual(expected)
  await expect(list.locator(foreignElements)).toHaveCount(0)
  const links = await list
    .locator('a')
    .evaluateAll((anchors) => anchors.map((anchor) => (anchor as HTMLAnchorElement).href))
  expect(links.length).toBeGreaterThan(0)
  for (const href of links) expect(href).toMatch(/^https?:\/\//)
  await watch.expectNone()
})

test('SECURITY-5 script payloads as account names are shown as text in the bar, the room, the users list and the alert', async ({
  page,
  startServer,
}) => {
  const server = await startServer()
  const watch = await watchForExecution(page, server.url)
  const names = xssCorpus
    .filter((text) => findNameProblem(normalizeName(text)) === null && normalizeName(text) === text)
    .slice(0, 20)
  const accounts = []
  for (const [i, name] of names.entries()) accounts.push(await registerAccount(server.url, name, `a${i}@example.org`))
  const [account] = accounts
  if (account === undefined) throw new Error('no account')
  await page.goto(server.url)
  await page.evaluate((data) => localStorage.setItem('userData', JSON.stringify(data)), account.response)
  await page.getByRole('link', { name: 'Allusers' }).click()
  for (const name of names) await expect(page.getByText(name, { exact: true })).toBeVisible()
  // The search field of the users list is outside of the list.
  await expect(page.getByRole('main').getByRole('list').locator(foreignElements)).toHaveCount(0)
  await logIn(page, account)
  await expect(page.getByText(`username : ${account.name}`, { exact: true })).toBeVisible()
  await watch.expectNone([`Login successful: ${account.name}`])
})

test('SECURITY-5 bidirectional control characters in a message do not affect the text around it', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const sender = await connectClient(application.url, 'mallory')
  await sender.send('\u202e\u2067 turned around')
  sender.disconnect()
  const entry = room(page).entries.last()
  await expect(entry).toContainText('turned around')
  const isolated = await entry.evaluate((item) =>
    [...item.querySelectorAll('*')]
      .filter((part) => getComputedStyle(part).unicodeBidi === 'isolate')
      .map((part) => part.textContent),
  )
  // The suffix is outside the bidi isolate of the name, so that a right-to-left name cannot move it.
  expect(isolated).toContain('mallory')
  expect(isolated).toContain('\u202e\u2067 turned around')
})

test('SECURITY-1 runs of spaces in a message do not start a line that looks like an entry', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const sender = await connectClient(application.url, 'mallory')
  const blanks = ' '.repeat(400)
  const forged = `hello${blanks}[1/1/2026, 1:00:00 AM] bob : I resign${blanks}[1/1/2026, 1:00:00 AM] bob : really`
  await sender.send(forged)
  sender.disconnect()
  const entry = room(page).entries.last()
  await expect(entry).toContainText('really')
  expect(await entry.evaluate((item) => item.textContent)).toContain(forged)
  const shown = await entry.evaluate((item) => (item as HTMLElement).innerText)
  expect(shown).toContain('hello [1/1/2026, 1:00:00 AM] bob : I resign [1/1/2026, 1:00:00 AM] bob : really')
})

test('SECURITY-1 a logged-in sender has a mark that an anonymous sender cannot have', async ({ page, application }) => {
  const account = await registerAccount(application.url)
  await enterRoom(page)
  const [registered, anonymous] = [
    await connectClient(application.url, 'x', account.response.token),
    await connectClient(application.url, account.name),
  ]
  await registered.send('it is me')
  await anonymous.send('it is me, really')
  registered.disconnect()
  anonymous.disconnect()
  const { entries } = room(page)
  await expect(entries.last()).toContainText('really')
  const marks = await entries.evaluateAll((items) =>
    items.slice(-2).map((item) => item.querySelectorAll('.account-name').length),
  )
  expect(marks).toStrictEqual([1, 0])
  const mark = await page
    .locator('.account-name')
    .last()
    .evaluate((name) => getComputedStyle(name, '::after').content + getComputedStyle(name, '::before').content)
  expect(mark).not.toBe('nonenone')
})
