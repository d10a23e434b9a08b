import { expect, test } from 'vitest'
import { live, openPage, openRoom, say, shows, until } from '../../../tests/web/page-session.ts'

test('READING-8 what this page sent is marked as its own, what others say in its name and words is not', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  const other = openPage(room.url)
  await live(page)
  await live(other)
  say(page, 'hello')
  await shows(page, '1 hello')
  say(other, 'hello')
  await shows(page, '1 hello', '2 hello')
  const owned = () => page.messages.get().entries.map((entry) => entry.kind === 'message' && entry.own)
  await until(() => expect(owned()).toEqual([true, false]))
})
