import type { Page } from '@playwright/test'
import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { enterRoom, room } from '../support/room-page.ts'
import { expect, test } from './fixtures.ts'
import { violations } from './axe.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { enterRoomWithMessages, expectAtEnd } from './message-list.ts'
import { interceptConnection } from './page-connection.ts'
import { setHidden } from './page-visibility.ts'

test('WRITING-9 a click on an entry offers Reply, a click on a name mentions its sender', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send('shall we\nmeet?')
  const { entries, message } = room(page)
  await message.fill('yes')
  const reply = page.getByRole('button', { name: 'Reply' })
  await expect(reply).toHaveCount(0)
  await entries.getByText('meet?').click()
  await expect(reply).toBeInViewport({ ratio: 1 })
  expect(await violations(page)).toEqual([])
  await reply.click()
  await expect(message).toBeFocused()
  await expect(reply).toHaveCount(0)
  await page.keyboard.type(', at six')
  await entries.getByText('ann', { exact: true }).click()
  await expect(message).toHaveValue('> ann (not loggedin): “shall we meet?”\nyes, at six @ann ')
  await message.press('Enter')
  await expect(entries.last()).toHaveText(/ : > ann \(not loggedin\): “shall we meet\?”\nyes, at six @ann $/, {
    useInnerText: false,
  })
  await expect(entries.last()).toHaveText(/^\[[^\]]+\] anonymous \(not loggedin\) : > ann/)
  ann.disconnect()
})

for (const [how, select] of [
  [
    'by a click',
    (page: Page) =>
      room(page)
        .entries.nth(-3)
        .click({ position: { x: 500, y: 10 } }),
  ],
  [
    'by the keyboard',
    async (page: Page) => {
      await room(page).list.focus()
      for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    },
  ],
] as const)
  test(`WRITING-9 an entry selected ${how} keeps its position, actions and focus while messages arrive`, async ({
    page,
    application,
  }) => {
    await enterRoomWithMessages(page, application.url, 40)
    const { entries, message } = room(page)
    await select(page)
    const reply = page.getByRole('button', { name: 'Reply' })
    await expect(reply).toBeInViewport({ ratio: 1 })
    await waitForStableLayout(page)
    const focused = await page.evaluate(() => document.activeElement?.outerHTML)
    const before = await reply.boundingBox()
    const ann = await connectClient(application.url, 'ann')
    for (let batch = 0; batch < 6; batch++) await ann.sendAll(numberedTexts(10, `batch ${batch}`))
    await expect(entries).toHaveCount(100)
    await waitForStableLayout(page)
    expect(await reply.boundingBox()).toStrictEqual(before)
    expect(await page.evaluate(() => document.activeElement?.outerHTML)).toBe(focused)
    await expect(page.getByRole('button', { name: 'First unread' })).toBeVisible()
    await message.focus()
    await expectAtEnd(page)
    ann.disconnect()
  })

test('A11Y-3 the keyboard reaches the actions of an entry, and Escape returns to the message field', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.sendAll(numberedTexts(3))
  const { entries, list, message } = room(page)
  await expect(entries).toHaveCount(3)
  await list.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Reply' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(message).toHaveValue('@ann ')
  await message.fill('')
  await list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(message).toBeFocused()
  await expect(page.getByRole('button', { name: 'Reply' })).toHaveCount(0)
  ann.disconnect()
})

test('WRITING-9 on a phone, a tap on an entry offers Reply and Mention, also while the field shows a waiting message', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })
  const connection = await interceptConnection(page)
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send('who brings the grill?')
  ann.disconnect()
  const { entries, message, outbox } = room(page)
  await expect(entries).toHaveCount(1)
  await connection.block()
  await expect(page.getByText('The connection is lost.')).toBeVisible()
  await message.fill('waits')
  await message.press('Enter')
  await entries.getByText('who brings').tap()
  await page.getByRole('button', { name: 'Reply' }).tap()
  await expect(message).toHaveValue('> ann (not loggedin): “who brings the grill?”\n')
  await expect(outbox).toHaveText([/waits/])
  await message.fill('waits too')
  await message.press('Enter')
  await entries.getByText('who brings').tap()
  await page.getByRole('button', { name: 'Mention' }).tap()
  await expect(message).toHaveValue('@ann ')
  await expect(outbox).toHaveText([/waits/, /waits too/])
})

test('WRITING-9 a message that starts above the visible part of the list offers its actions, and Reply shows the caret', async ({
  openVisitor,
  application,
}) => {
  const page = await openVisitor({ viewport: { width: 390, height: 450 } })
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  await ann.send(`${'many words '.repeat(60)}\nthe end`)
  ann.disconnect()
  await expect(page.locator('.entry-time')).not.toBeInViewport()
  await page.getByText('the end').click()
  await expect(page.getByRole('button', { name: 'Reply' })).toBeInViewport({ ratio: 1 })
  await room(page).list.evaluate((list) => list.scrollTo(0, 0))
  await expect(page.locator('.entry-time')).toBeInViewport()
  await expect(page.getByRole('button', { name: 'Reply' })).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Reply' }).click()
  await expect(room(page).message).toHaveValue(/^> ann/)
  const linesBelow = () =>
    room(page).message.evaluate((field) => field.scrollHeight - field.scrollTop - field.clientHeight)
  await waitForStableLayout(page)
  await expect.poll(linesBelow).toBeLessThan(2)
})

test("LAYOUT-1 the actions of an entry do not cover the line 'New messages' above it", async ({
  page,
  application,
}) => {
  await enterRoomWithMessages(page, application.url, 30)
  const ann = await connectClient(application.url, 'ann')
  await setHidden(page, true)
  await ann.sendAll(numberedTexts(2, 'unread'))
  ann.disconnect()
  await expect(room(page).entries).toHaveCount(32)
  await setHidden(page, false)
  const entry = page.locator('[data-unread-divider]')
  await entry.getByText('unread 1').click()
  const { lineBottom, entryTop, toolbarTop, toolbarBottom } = await entry.evaluate((item) => {
    const toolbar = document.querySelector('.entry-toolbar')?.getBoundingClientRect()
    const body = item.querySelector('.entry-body')
    if (toolbar === undefined || body === null) throw new Error('there is no toolbar')
    const entryTop = item.getBoundingClientRect().top
    const lineBottom = entryTop + Number.parseFloat(getComputedStyle(body).paddingTop)
    return { lineBottom, entryTop, toolbarTop: toolbar.top, toolbarBottom: toolbar.bottom }
  })
  expect(lineBottom - entryTop).toBeGreaterThan(20)
  expect(toolbarTop >= lineBottom || toolbarBottom <= entryTop).toBe(true)
})
