import { expect, test } from 'vitest'
import { entryText } from './entry-text.ts'

test('CHAT-7 an entry reads [local date-time] username : message', () => {
  const createdTime = Date.UTC(2026, 0, 2, 3, 4, 5)
  expect(entryText({ username: 'alice', message: 'hi : there', createdTime })).toBe(
    `[${new Date(createdTime).toLocaleString()}] alice : hi : there`,
  )
})
