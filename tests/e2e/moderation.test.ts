import type { Locator, Page } from '@playwright/test'
import { fillLogin } from '../support/accounts.ts'
import { enterRoom, entryPattern, room, sendMessage, waitUntilLive } from '../support/room-page.ts'
import { numberedTexts } from '../support/socket-client.ts'
import { violations } from './axe.ts'
import { expect, test as base } from './fixtures.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expectAtEnd } from './message-list.ts'
import { type ModeratedRoom, openMenu, startModeratedRoom } from './moderated-room.ts'
import { interceptConnection } from './page-connection.ts'

const test = base.extend<{ moderated: ModeratedRoom; moderatorPage: Page }>({
  moderated: async ({}, use) => {
    const moderated = await startModeratedRoom()
    await use(moderated)
    await moderated.close()
  },
  /** Page of the moderator in the room. */
  moderatorPage: async ({ moderated, page }, use) => {
    await moderated.logIn(page, moderated.moderator)
    await expect(page.getByRole('button', { name: 'Moderation' })).toBeVisible()
    await use(page)
  },
})

test('MODERATION-34 by mouse, a moderator mutes a sender and undoes the mute', async ({
  moderated,
  moderatorPage: page,
  openVisitor,
}) => {
  const visitor = await openVisitor()
  await moderated.logIn(visitor, moderated.spammer)
  await sendMessage(visitor, 'buy cheap watches')
  const menu = await openMenu(page, 'buy cheap watches')
  await expect(menu).toContainText('eve')
  expect(await violations(page)).toEqual([])
  await menu.getByRole('menuitem', { name: 'Mute for 10 minutes' }).click()
  await expect(menu).toBeHidden()
  await expect(page.getByText(/^eve: muted until /)).toBeVisible()
  await room(visitor).message.fill('and more')
  await room(visitor).send.click()
  await expect(visitor.getByText('You are muted in this room.')).toBeVisible()

  await page.getByRole('button', { name: 'Moderation' }).click()
  const panel = page.getByRole('dialog')
  await expect(panel.getByText(/^eve muted until /)).toBeVisible()
  expect(await violations(page)).toEqual([])
  await panel.getByRole('button', { name: 'Undo: mute eve' }).click()
  await expect(panel.getByText('No mutes or bans.')).toBeVisible()
  await panel.getByRole('button', { name: 'Close' }).click()
  await room(visitor).send.click()
  await expect(room(page).entries.last()).toContainText('and more')
})

test('MODERATION-33 on a low screen the panel shows the result of an action beside the list', async ({
  moderated,
  moderatorPage: page,
}) => {
  await moderated.eve.send('buy cheap watches')
  const menu = await openMenu(page, 'buy cheap watches')
  await menu.getByRole('menuitem', { name: 'Mute for 10 minutes' }).click()
  await page.setViewportSize({ width: 390, height: 450 })
  await page.getByRole('button', { name: 'Moderation' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Undo: mute eve' }).click()
  await expect(panel.getByText('No mutes or bans.')).toBeVisible()
  await panel.getByText('No mutes or bans.').evaluate((text) => text.scrollIntoView({ block: 'center' }))
  await expect(panel.getByText('Done')).toBeInViewport({ ratio: 1 })
})

test('MODERATION-32 a banned page shows when the ban ends, and connects on a reload after the ban is lifted', async ({
  moderated,
  moderatorPage: page,
  openVisitor,
}) => {
  const visitor = await openVisitor()
  await moderated.logIn(visitor, moderated.spammer)
  await sendMessage(visitor, 'buy cheap watches')
  const menu = await openMenu(page, 'buy cheap watches')
  await menu.getByRole('menuitem', { name: 'Ban for 24 hours' }).click()
  await expect(page.getByText(/^eve: banned until /)).toBeVisible()
  await expect(visitor.getByText(/^You are banned from this room\. The ban ends /)).toBeVisible()
  await expect(visitor.locator('[data-connection=banned]')).toHaveText('Banned')
  expect(await violations(visitor)).toEqual([])
  await page.getByRole('button', { name: 'Moderation' }).click()
  await page.getByRole('button', { name: 'Undo: ban eve' }).click()
  await expect(page.getByText('No mutes or bans.')).toBeVisible()
  await visitor.reload()
  await waitUntilLive(visitor)
})

test('MODERATION-31 the page shows a rule before the user writes, and hides it when the rule is turned off', async ({
  moderated,
  moderatorPage: page,
  openVisitor,
}) => {
  const visitor = await openVisitor()
  await visitor.goto(moderated.url)
  await waitUntilLive(visitor)
  await page.getByRole('button', { name: 'Moderation' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('Slow mode: seconds between messages').fill('30')
  await panel.getByLabel('No links').check()
  await panel.getByRole('button', { name: 'Save rules' }).click()
  await expect(panel.getByText('Rules saved')).toBeVisible()
  const rule = 'Links are not allowed in this room. Slow mode: one message every 30 seconds.'
  await expect(visitor.getByText(rule)).toBeVisible()
  await expect(room(visitor).message).toHaveAccessibleDescription(rule)
  expect(await violations(visitor)).toEqual([])
  await panel.getByLabel('No links').uncheck()
  await panel.getByLabel('Slow mode: seconds between messages').fill('0')
  await panel.getByRole('button', { name: 'Save rules' }).click()
  await expect(visitor.getByText(rule)).toHaveCount(0)
  await expect(panel.getByText('slow-mode=off links=on')).not.toHaveCount(0)
})

test('MODERATION-34 a moderator saves only the rules that they changed, and keeps edits while other rules change', async ({
  moderated,
  moderatorPage: page,
}) => {
  await page.getByRole('button', { name: 'Moderation' }).click()
  const panel = page.getByRole('dialog')
  const save = panel.getByRole('button', { name: 'Save rules' })
  const slowMode = panel.getByLabel('Slow mode: seconds between messages')
  await expect(panel.getByLabel('No links')).not.toBeChecked()
  await moderated.operate({ type: 'set-rules', rules: { linksOff: true } })
  await save.click()
  await expect(panel.getByText('No rule has changed.')).toBeVisible()
  await panel.getByLabel('Registered users only').check()
  await save.click()
  await slowMode.fill('3')
  await expect(panel.getByText('Rules saved')).toBeVisible()
  await expect(panel.getByLabel('No links')).toBeChecked()
  await expect(slowMode).toHaveValue('3')

  // After the save, the panel shows later changes of the saved rule.
  await moderated.operate({ type: 'set-rules', rules: { accountsOnly: false } })
  await slowMode.fill('30')
  await save.click()
  await expect(panel.getByLabel('Registered users only')).not.toBeChecked()
  await expect(slowMode).toHaveValue('30')
  await expect(panel.getByText('slow-mode=30', { exact: true })).toBeVisible()
})

test('MODERATION-31 an announcement is above the list until the reader dismisses it', async ({ moderated, page }) => {
  await moderated.operate({ type: 'announce', text: 'The room closes at nine.' })
  await page.goto(moderated.url)
  const notice = page.getByText('The room closes at nine.')
  await expect(notice).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Dismiss the announcement' }).click()
  await expect(notice).toHaveCount(0)
  await page.reload()
  await waitUntilLive(page)
  await expect(notice).toHaveCount(0)
  await moderated.operate({ type: 'announce', text: 'The room closes at ten.' })
  await expect(page.getByText('The room closes at ten.')).toBeVisible()
})

test('MODERATION-34 by keyboard alone, a moderator removes, mutes, bans, undoes and sets a rule', async ({
  moderated,
  moderatorPage: page,
}) => {
  const pressUntilFocused = async (key: string, target: Locator) => {
    await expect(target).toBeVisible()
    while (!(await target.evaluate((element) => element === document.activeElement))) await page.keyboard.press(key)
  }
  const moderate = page.getByRole('button', { name: 'Moderate', exact: true })
  const choose = async (item: string) => {
    await expect(moderate).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    await pressUntilFocused('ArrowUp', page.getByRole('menuitem', { name: item, exact: true }))
    await page.keyboard.press('Enter')
  }
  await moderated.eve.send('buy cheap watches')
  await expect(room(page).entries).toHaveCount(1)
  await pressUntilFocused('Tab', room(page).list)
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  for (const name of ['Mention', 'Moderate']) {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name })).toBeFocused()
  }
  await choose('Remove message')
  await expect(page.getByText('1 message removed')).toBeVisible()
  await expect(room(page).entries.last()).toContainText('message removed')
  await choose('Mute for 1 hour')
  await expect(page.getByText(/^eve: muted until /)).toBeVisible()
  await choose('Ban permanently')
  await expect(page.getByText('eve: banned permanently')).toBeVisible()
  await expect(moderate).toBeFocused()

  const moderation = page.getByRole('button', { name: 'Moderation' })
  await pressUntilFocused('Shift+Tab', moderation)
  await page.keyboard.press('Enter')
  await pressUntilFocused('Tab', page.getByLabel('Read-only'))
  await page.keyboard.press('Space')
  const save = page.getByRole('button', { name: 'Save rules' })
  await pressUntilFocused('Tab', save)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Rules saved')).toBeVisible()
  await expect(page.getByText('read-only=on')).not.toHaveCount(0)
  // The focus does not move, although the panel loads its data again after each action.
  await expect(save).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Undo: / }).first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Undo: / })).toHaveCount(1)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Undo: / })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No mutes or bans.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Mutes and bans' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(moderation).toBeFocused()
})

test('MODERATION-34 by mouse, a moderator removes one message, then all messages of its sender, for every reader', async ({
  moderated,
  moderatorPage: page,
  openVisitor,
}) => {
  const visitor = await openVisitor()
  await enterRoom(visitor, moderated.url)
  await moderated.eve.sendAll(['first secret', 'second secret', 'third secret'])
  await expect(room(visitor).entries).toHaveCount(3)
  const menu = await openMenu(page, 'second secret')
  await menu.getByRole('menuitem', { name: 'Remove message' }).click()
  await expect(page.getByText('1 message removed')).toBeVisible()
  for (const reader of [page, visitor]) {
    await expect(room(reader).entries.nth(1)).toHaveText(entryPattern('eve', 'message removed'))
    await expect(room(reader).entries.nth(1)).toHaveJSProperty('value', 2)
    await expect(room(reader).entries.nth(2)).toHaveText(entryPattern('eve', 'third secret'))
  }
  await openMenu(page, 'third secret')
  await menu.getByRole('menuitem', { name: 'Remove all messages of this sender' }).click()
  await expect(menu.getByRole('menuitem', { name: 'Yes, remove all messages' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 messages removed')).toBeVisible()
  for (const reader of [page, visitor]) await expect(room(reader).entries.getByText('message removed')).toHaveCount(3)
  expect(await visitor.evaluate(() => document.documentElement.outerHTML)).not.toContain('secret')
  expect(await violations(visitor)).toEqual([])
})

test('MODERATION-34 on a phone, a moderator removes, mutes, bans, sets a rule and undoes', async ({
  moderated,
  openVisitor,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(`${moderated.url}/login`)
  await fillLogin(page, moderated.moderator.name, moderated.moderator.password)
  await page.getByRole('button', { name: 'Login', exact: true }).tap()
  const moderation = page.getByRole('button', { name: 'Moderation' })
  await expect(moderation).toBeVisible()
  await moderated.eve.sendAll(numberedTexts(30))
  await moderated.eve.send('buy cheap watches')
  await expect(room(page).entries).toHaveCount(31)
  const choose = async (item: string) => {
    const moderate = page.getByRole('button', { name: 'Moderate', exact: true })
    // After an action, the entry is still selected. The tap avoids the name, because a tap on the name mentions the sender.
    if (!(await moderate.isVisible()))
      await room(page)
        .entries.last()
        .tap({ position: { x: 40, y: 12 } })
    await expect(moderate).toBeInViewport({ ratio: 1 })
    await moderate.tap()
    await expect(page.getByRole('dialog')).toBeInViewport({ ratio: 1 })
    expect(await violations(page)).toEqual([])
    await page.getByRole('menuitem', { name: item }).tap()
  }
  await choose('Remove message')
  await expect(room(page).entries.last()).toContainText('message removed')
  await choose('Mute for 24 hours')
  await expect(page.getByText(/^eve: muted until /)).toBeVisible()
  await choose('Ban for 24 hours')
  await expect(page.getByText(/^eve: banned until /)).toBeVisible()
  await moderation.tap()
  for (const kind of ['ban', 'mute']) {
    const undo = page.getByRole('button', { name: `Undo: ${kind} eve` })
    await undo.tap()
    await expect(undo).toHaveCount(0)
  }
  await expect(page.getByText('No mutes or bans.')).toBeVisible()
  await page.getByLabel('Read-only').tap()
  await page.getByRole('button', { name: 'Save rules' }).tap()
  await expect(page.getByText('Rules saved')).toBeVisible()
  await expect(page.getByText('The room is read-only at the moment. Moderators are exempt.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test('READING-12 while a dialog is open or a word is composed, the shortcut does not open the search', async ({
  moderated,
  moderatorPage: page,
}) => {
  await moderated.eve.sendAll(numberedTexts(2_100))
  await expect(room(page).entries.last()).toContainText('2100')
  const search = page.getByRole('search')
  await openMenu(page, 'message 2100')
  await page.keyboard.press('Control+f')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(search).toHaveCount(0)
  const press = (isComposing: boolean) =>
    room(page).message.dispatchEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, isComposing })
  await press(true)
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await expect(search).toHaveCount(0)
  await press(false)
  await expect(search).toBeVisible()
})

test('MODERATION-36 at 1,000 messages a second, the entry of an open menu does not move', async ({
  moderated,
  page,
}) => {
  await page.clock.install()
  await moderated.logIn(page, moderated.moderator)
  await expect(page.getByRole('button', { name: 'Moderation' })).toBeVisible()
  await page.clock.pauseAt(Date.now() + 5_000)
  const { entries, list } = room(page)
  let sent = 0
  const flood = async (tenthsOfSecond: number, afterEach = async () => {}) => {
    for (let tenth = 0; tenth < tenthsOfSecond; tenth++) {
      await moderated.eve.sendAll(numberedTexts(100, `flood ${(sent += 100) / 100}`))
      await page.clock.runFor(100)
      await afterEach()
    }
  }
  // On a busy machine, messages can reach the page after their tenth of a second, so repeat the flood if necessary.
  const floodAndRead = async () => {
    await flood(8)
    return list.getAttribute('data-renderer')
  }
  await expect.poll(floodAndRead).toBe('newest')
  const shown = entries.nth(-4)
  const key = await shown.getAttribute('data-key')
  const target = list.locator(`li[data-key="${key}"]`)
  await target.click({ position: { x: 300, y: 10 } })
  await page.clock.runFor(200)
  const topOf = async () => (await target.boundingBox())?.y ?? -1
  const topPx = await topOf()
  await page.getByRole('button', { name: 'Moderate', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'Remove message' })).toBeFocused()
  await flood(16, async () => expect(Math.abs((await topOf()) - topPx)).toBeLessThanOrEqual(1))
  await expect(list).toHaveAttribute('data-renderer', 'virtual')
  await page.getByRole('menuitem', { name: 'Remove message' }).click()
  await page.clock.runFor(500)
  await expect(page.getByText('1 message removed')).toBeVisible()
  const runAndRead = async () => {
    await page.clock.runFor(50)
    return target.textContent()
  }
  await expect.poll(runAndRead).toContain('message removed')
  await room(page).message.focus()
  await page.clock.runFor(500)
  await expectAtEnd(page)
})

test('MODERATION-30 a page that returns after 500 removals shows none of the texts and keeps its position', async ({
  moderated,
  page,
}) => {
  const connection = await interceptConnection(page)
  await enterRoom(page, moderated.url)
  const long = ' and a text that takes several lines'.repeat(12)
  for (let batch = 1; batch <= 10; batch++) {
    await moderated.eve.sendAll(numberedTexts(50, `secret ${batch}`).map((text) => text + long))
  }
  const { entries, list } = room(page)
  await expect(entries).toHaveCount(500)
  await list.focus()
  await entries.nth(250).evaluate((entry) => entry.scrollIntoView({ block: 'start' }))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  await waitForStableLayout(page)
  const topPx = (await entries.nth(250).boundingBox())?.y ?? -1
  await connection.block()
  await expect(page.locator('[data-connection=lost]')).toBeVisible()
  const result = await moderated.operate({ type: 'remove-sender', senderOf: 1 })
  expect(result.removed).toBe(500)
  connection.set({ isBlocked: false })
  await expect(entries.getByText('message removed')).toHaveCount(500)
  await waitForStableLayout(page)
  expect(Math.abs(((await entries.nth(250).boundingBox())?.y ?? -1) - topPx)).toBeLessThanOrEqual(1)
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain('secret')
})
