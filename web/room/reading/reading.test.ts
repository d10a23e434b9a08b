import { expect, test } from 'vitest'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import {
  arrived,
  awayFromEnd,
  latest,
  looked,
  type Reading,
  startOfReading,
  trimmed,
  unseenMessages,
} from './reading.ts'

const came = (from: number, to: number, watched = true, own = false) => ({ from, to, watched, own })

const view = (from: number, to: number, changes: { atEnd?: boolean; movedUp?: boolean; watched?: boolean } = {}) => ({
  atEnd: false,
  movedUp: false,
  watched: true,
  visible: { from, to },
  passed: { from, to },
  ...changes,
})

const away = awayFromEnd(startOfReading)

test('READING-2 what comes under the eyes of a reader at the end has been seen', () => {
  expect(arrived(startOfReading, came(0, 10))).toBe(startOfReading)
})

test('READING-2 what comes while the reader is elsewhere is unread, and the line stands before the first of it', () => {
  const first = arrived(away, came(10, 12))
  expect(first).toEqual({ following: false, unseen: [{ from: 10, to: 12 }], line: { key: 10, shown: false } })
  expect(arrived(first, came(12, 40))).toEqual({ ...first, unseen: [{ from: 10, to: 40 }] })
})

test('READING-2 what comes while the page is hidden is unread, though the list goes on following', () => {
  const hidden = arrived(startOfReading, came(10, 70, false))
  expect(hidden).toMatchObject({ following: true, unseen: [{ from: 10, to: 70 }], line: { key: 10 } })
  expect(looked(hidden, view(50, 70, { atEnd: true, watched: false }))).toBe(hidden)
  expect(looked(hidden, view(50, 70, { atEnd: true })).unseen).toEqual([{ from: 10, to: 50 }])
})

test('READING-2 only moving up leaves the end, and reaching it follows again', () => {
  expect(looked(startOfReading, view(0, 5))).toBe(startOfReading)
  const left = looked(startOfReading, view(0, 5, { movedUp: true }))
  expect(left.following).toBe(false)
  expect(looked(left, view(5, 10, { atEnd: true })).following).toBe(true)
})

test('READING-2 what was on the screen or was scrolled past is no longer unread, the rest is', () => {
  const unread = arrived(away, came(10, 40))
  const seen = looked(unread, view(10, 30))
  expect(seen.unseen).toEqual([{ from: 30, to: 40 }])
  expect(looked(seen, view(0, 10, { movedUp: true })).unseen).toEqual([{ from: 30, to: 40 }])
  expect(looked(unread, { ...view(30, 40), passed: { from: 5, to: 40 } }).unseen).toEqual([])
})

test('READING-2 the line stays until it has been shown and has left upwards', () => {
  const unread = arrived(away, came(10, 40))
  const above = looked(unread, view(20, 40))
  expect(above.line).toEqual({ key: 10, shown: false })
  const shown = looked(above, view(8, 30))
  expect(shown.line).toEqual({ key: 10, shown: true })
  expect(looked(shown, view(2, 9)).line).toEqual({ key: 10, shown: true })
  expect(looked(shown, view(11, 30)).line).toBeNull()
})

test('READING-2 going to the latest leaves nothing unread, and what comes next gets a line of its own', () => {
  const gone = latest(arrived(away, came(10, 70)))
  expect(gone).toMatchObject({ following: true, unseen: [], line: { key: 10 } })
  expect(arrived(gone, came(70, 71, false)).line).toEqual({ key: 70, shown: false })
})

test("READING-8 one's own message brings the reader to the end", () => {
  const unread = arrived(away, came(10, 12))
  expect(arrived(unread, came(12, 13, true, true))).toMatchObject({ following: true, unseen: [] })
  // It was acknowledged after it had come.
  expect(arrived(unread, came(12, 12, true, true))).toMatchObject({ following: true, unseen: [] })
  expect(arrived(unread, came(12, 13, false, true))).toMatchObject({ following: true, unseen: [{ from: 10, to: 13 }] })
})

test('READING-11 what is no longer kept is not unread', () => {
  const unread = arrived(away, came(10, 40))
  expect(trimmed(unread, 20)).toEqual({ following: false, unseen: [{ from: 20, to: 40 }], line: null })
  expect(trimmed(unread, 10)).toBe(unread)
})

test('READING-2 unread messages are counted, gaps are not messages', () => {
  const buffer = createMessageBuffer()
  const say = () => buffer.appendMessage({ username: 'a', message: 'b', createdTime: 0 }, true)
  say()
  say()
  buffer.appendGap()
  say()
  say()
  const list = buffer.view()
  const count = (...unseen: Reading['unseen']) => unseenMessages({ ...away, unseen }, list)
  expect(count({ from: 2, to: 5 })).toBe(2)
  expect(count({ from: 0, to: 1 }, { from: 2, to: 4 })).toBe(2)
  expect(count({ from: 0, to: 5 })).toBe(4)
  expect(count()).toBe(0)
})
