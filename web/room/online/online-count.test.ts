import { expect, test } from 'vitest'
import { shownOnlineCount } from './online-count.ts'

test.each([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 1],
  [2001, 1000],
])('CHAT-1 a list of %i socket ids shows [%i]', (length, shown) => {
  expect(shownOnlineCount(length)).toBe(shown)
})
