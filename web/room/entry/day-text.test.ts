import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMessageBuffer, entryAt } from '../../connection/receive/message-buffer.ts'
import { dayLine } from './day-text.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('READING-13 the first entry that arrives on a new day has a date line, whatever time the message has', () => {
  const buffer = createMessageBuffer()
  const receive = (at: Date) => {
    vi.setSystemTime(at)
    buffer.appendMessage({ username: 'ann', message: 'hi', createdTime: 0 }, true)
  }
  receive(new Date(2026, 11, 31, 23, 59, 58))
  receive(new Date(2026, 11, 31, 23, 59, 59))
  receive(new Date(2027, 0, 1, 0, 0, 0))
  vi.setSystemTime(new Date(2027, 0, 2))
  buffer.appendGap(0)
  receive(new Date(2027, 0, 2, 12))
  const list = buffer.view()
  const newYear = new Date(2027, 0, 1).toLocaleDateString(undefined, { dateStyle: 'full' })
  const nextDay = new Date(2027, 0, 2).toLocaleDateString(undefined, { dateStyle: 'full' })
  expect(list.entries.map((entry) => dayLine(entry, entryAt(list, entry.key - 1)))).toEqual([
    undefined,
    undefined,
    newYear,
    nextDay,
    undefined,
  ])
})
