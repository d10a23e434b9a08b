import { connectClient, numberedTexts } from '../support/socket-client.ts'
import { waitForStableLayout } from './layout-checks.ts'
import { expect, test } from './fixtures.ts'
import { waitForFloodEnd } from './message-list.ts'
import { enterRoom, room } from '../support/room-page.ts'

/** Number of messages of maximum length that fit into the memory budget of 64 MiB, without their names; see `entryBytes`. */
const maxKept = Math.floor((64 * 1024 * 1024) / (160 + 2 * 4_000))

test('READING-11 a page drops the oldest messages, shows a notice, and keeps the numbering and the scroll position', async ({
  page,
  application,
}) => {
  await enterRoom(page)
  const ann = await connectClient(application.url, 'ann')
  const filler = 'long '.repeat(790)
  const send = async (count: number, prefix: string) => {
    for (let sent = 0; sent < count; sent += 250) {
      await ann.sendAll(
        numberedTexts(Math.min(250, count - sent), `${prefix} ${sent / 250} message`).map((text) => text + filler),
      )
    }
  }
  const { list, entries } = room(page)
  const lastNumber = () => entries.last().evaluate((item) => (item as HTMLLIElement).value)
  await send(maxKept - 500, 'first')
  await expect.poll(lastNumber).toBe(maxKept - 500)
  await waitForFloodEnd(page)

  // Scroll the list to its middle before the page drops the oldest messages.
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  const numbersInView = () =>
    list.evaluate((element) => {
      const view = element.getBoundingClientRect()
      return [...element.querySelectorAll('li')]
        .filter((item) => item.getBoundingClientRect().bottom > view.top + 1)
        .filter((item) => item.getBoundingClientRect().top < view.bottom - 1)
        .map((item) => item.value)
    })
  await expect.poll(async () => (await numbersInView()).length).toBeGreaterThan(0)
  await waitForStableLayout(page)
  const before = await numbersInView()
  await send(1_500, 'second')
  await expect(page.getByRole('button', { name: 'First unread (1,500)' })).toBeVisible()
  await waitForStableLayout(page)
  expect(await numbersInView()).toEqual(before)

  await list.evaluate((element) => element.scrollTo(0, 0))
  await expect(entries.first()).toHaveText('Older messages are no longer kept on this page')
  const oldest = await entries.nth(1).evaluate((item) => (item as HTMLLIElement).value)
  expect(oldest).toBeGreaterThan(500)
  expect(oldest).toBeLessThan(2_000)
  await expect(entries.nth(1)).toContainText(`message ${((oldest - 1) % 250) + 1}long`)
  await page.getByRole('button', { name: 'Latest' }).click()
  await expect.poll(lastNumber).toBe(maxKept + 1_000)
  ann.disconnect()
})
