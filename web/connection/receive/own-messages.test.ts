import { expect, test } from 'vitest'
import {
  waitUntilLive,
  openPage,
  openRoom,
  sendMessage,
  waitForMessages,
  until,
} from '../../../tests/web/page-session.ts'

test('READING-8 what this page sent is marked as its own, what others say in its name and words is not', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  const other = openPage(room.url)
  await waitUntilLive(page)
  await waitUntilLive(other)
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
  sendMessage(other, 'hello')
  await waitForMessages(page, '1 hello', '2 hello')
  const owned = () => page.messages.get().entries.map((entry) => entry.kind === 'message' && entry.isOwn)
  await until(() => expect(owned()).toEqual([true, false]))
})
