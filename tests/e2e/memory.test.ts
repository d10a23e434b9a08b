import { join, numbered } from '../support/crowd.ts'
import { atRest } from './fit.ts'
import { expect, test } from './fixtures.ts'
import { floodIsOver, noLimits } from './message-list.ts'
import { enterRoom, room } from '../support/room-page.ts'

/** So many of the longest messages fit into the budget of 64 MB; see `entryBytes`. */
const fit = Math.floor((64 * 1024 * 1024) / (160 + 2 * 4_000))

test('READING-11 a page lets go of the oldest messages, says so, and keeps the numbers and the place', async ({
  page,
  ownServer,
}) => {
  const server = await ownServer(noLimits)
  await enterRoom(page, server.url)
  const ann = await join(server.url, 'ann')
  const filler = 'long '.repeat(790)
  const say = async (count: number, prefix: string) => {
    for (let said = 0; said < count; said += 250) {
      await ann.sayAll(
        numbered(Math.min(250, count - said), `${prefix} ${said / 250} message`).map((text) => text + filler),
      )
    }
  }
  const { list, entries } = room(page)
  const lastNumber = () => entries.last().evaluate((item) => (item as HTMLLIElement).value)
  await say(fit - 500, 'first')
  await expect.poll(lastNumber).toBe(fit - 500)
  await floodIsOver(page)

  // A reader in the middle, when the oldest have to go.
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2))
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible()
  const inView = () =>
    list.evaluate((element) => {
      const view = element.getBoundingClientRect()
      return [...element.querySelectorAll('li')]
        .filter((item) => item.getBoundingClientRect().bottom > view.top + 1)
        .filter((item) => item.getBoundingClientRect().top < view.bottom - 1)
        .map((item) => item.value)
    })
  await expect.poll(async () => (await inView()).length).toBeGreaterThan(0)
  await atRest(page)
  const reading = await inView()
  await say(1_500, 'second')
  await expect(page.getByRole('button', { name: 'First unread (1,500)' })).toBeVisible()
  await atRest(page)
  expect(await inView()).toEqual(reading)

  await list.evaluate((element) => element.scrollTo(0, 0))
  await expect(entries.first()).toHaveText('Older messages are no longer kept on this page')
  const oldest = await entries.nth(1).evaluate((item) => (item as HTMLLIElement).value)
  expect(oldest).toBeGreaterThan(500)
  expect(oldest).toBeLessThan(2_000)
  await expect(entries.nth(1)).toContainText(`message ${((oldest - 1) % 250) + 1}long`)
  await page.getByRole('button', { name: 'Latest' }).click()
  await expect.poll(lastNumber).toBe(fit + 1_000)
  ann.leave()
})
