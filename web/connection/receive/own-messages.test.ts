import { expect, test } from 'vitest'
import {
  waitUntilLive,
  openPage,
  openRoom,
  sendMessage,
  waitForMessages,
  until,
} from '../../../tests/web/page-session.ts'

test('READING-8 a message of this page is marked as own, an identical message of another page is not', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  const other = openPage(room.url)
  await waitUntilLive(page)
  await waitUntilLive(other)
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
  sendMessage(other, 'hello')
  await waitForMessages(page, '1 hello', '2 hello')
  const ownFlags = () => page.messages.get().entries.map((entry) => entry.kind === 'message' && entry.isOwn)
  await until(() => expect(ownFlags()).toEqual([true, false]))
})
