import { expect, test } from 'vitest'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { addArrivals, stopFollowing, jumpToLatest, applyView, dropTrimmed, countUnseen } from './reading.ts'
import { initialReading, type ReadingState } from './reading-state.ts'

const arrivals = (from: number, to: number, isVisible = true, hasOwn = false) => ({ from, to, isVisible, hasOwn })

const view = (
  from: number,
  to: number,
  changes: { isAtEnd?: boolean; hasMovedUp?: boolean; isVisible?: boolean } = {},
) => ({
  isAtEnd: false,
  hasMovedUp: false,
  isVisible: true,
  visible: { from, to },
  passed: { from, to },
  ...changes,
})

const away = stopFollowing(initialReading)

test('READING-2 entries that arrive while following in a visible page are seen', () => {
  expect(addArrivals(initialReading, arrivals(0, 10))).toBe(initialReading)
})

test('READING-2 entries that arrive while not following are unread, and the divider is above the first of them', () => {
  const first = addArrivals(away, arrivals(10, 12))
  expect(first).toEqual({
    isFollowing: false,
    unseen: [{ from: 10, to: 12 }],
    unreadDivider: { key: 10, wasShown: false },
  })
  expect(addArrivals(first, arrivals(12, 40))).toEqual({ ...first, unseen: [{ from: 10, to: 40 }] })
})

test('READING-2 entries that arrive in a hidden page are unread, and the list keeps following', () => {
  const hidden = addArrivals(initialReading, arrivals(10, 70, false))
  expect(hidden).toMatchObject({ isFollowing: true, unseen: [{ from: 10, to: 70 }], unreadDivider: { key: 10 } })
  expect(applyView(hidden, view(50, 70, { isAtEnd: true, isVisible: false }))).toBe(hidden)
  expect(applyView(hidden, view(50, 70, { isAtEnd: true })).unseen).toEqual([{ from: 10, to: 50 }])
})

test('READING-2 only scrolling up stops following, and reaching the end starts it again', () => {
  expect(applyView(initialReading, view(0, 5))).toBe(initialReading)
  const left = applyView(initialReading, view(0, 5, { hasMovedUp: true }))
  expect(left.isFollowing).toBe(false)
  expect(applyView(left, view(5, 10, { isAtEnd: true })).isFollowing).toBe(true)
})

test('READING-2 entries that were on the screen or scrolled past are no longer unread, the others are', () => {
  const unread = addArrivals(away, arrivals(10, 40))
  const seen = applyView(unread, view(10, 30))
  expect(seen.unseen).toEqual([{ from: 30, to: 40 }])
  expect(applyView(seen, view(0, 10, { hasMovedUp: true })).unseen).toEqual([{ from: 30, to: 40 }])
  expect(applyView(unread, { ...view(30, 40), passed: { from: 5, to: 40 } }).unseen).toEqual([])
})

test('READING-2 the unread divider stays until it was shown and scrolled out at the top', () => {
  const unread = addArrivals(away, arrivals(10, 40))
  const above = applyView(unread, view(20, 40))
  expect(above.unreadDivider).toEqual({ key: 10, wasShown: false })
  const shown = applyView(above, view(8, 30))
  expect(shown.unreadDivider).toEqual({ key: 10, wasShown: true })
  expect(applyView(shown, view(2, 9)).unreadDivider).toEqual({ key: 10, wasShown: true })
  expect(applyView(shown, view(11, 30)).unreadDivider).toBeNull()
})

test('READING-2 jumping to the latest leaves nothing unread, and the next arrivals get a new divider', () => {
  const gone = jumpToLatest(addArrivals(away, arrivals(10, 70)))
  expect(gone).toMatchObject({ isFollowing: true, unseen: [], unreadDivider: { key: 10 } })
  expect(addArrivals(gone, arrivals(70, 71, false)).unreadDivider).toEqual({ key: 70, wasShown: false })
})

test('READING-8 an own message scrolls the list to the end', () => {
  const unread = addArrivals(away, arrivals(10, 12))
  expect(addArrivals(unread, arrivals(12, 13, true, true))).toMatchObject({ isFollowing: true, unseen: [] })
  // The acknowledgement came after the broadcast.
  expect(addArrivals(unread, arrivals(12, 12, true, true))).toMatchObject({ isFollowing: true, unseen: [] })
  expect(addArrivals(unread, arrivals(12, 13, false, true))).toMatchObject({
    isFollowing: true,
    unseen: [{ from: 10, to: 13 }],
  })
})

test('READING-11 entries that the page no longer keeps are not unread', () => {
  const unread = addArrivals(away, arrivals(10, 40))
  expect(dropTrimmed(unread, 20)).toEqual({ isFollowing: false, unseen: [{ from: 20, to: 40 }], unreadDivider: null })
  expect(dropTrimmed(unread, 10)).toBe(unread)
})

test('READING-2 unread messages are counted without gap notices', () => {
  const buffer = createMessageBuffer()
  const appendMessage = () => buffer.appendMessage({ username: 'a', message: 'b', createdTime: 0 }, true)
  appendMessage()
  appendMessage()
  buffer.appendGap(0)
  appendMessage()
  appendMessage()
  const list = buffer.view()
  const count = (...unseen: ReadingState['unseen']) => countUnseen({ ...away, unseen }, list)
  expect(count({ from: 2, to: 5 })).toBe(2)
  expect(count({ from: 0, to: 1 }, { from: 2, to: 4 })).toBe(2)
  expect(count({ from: 0, to: 5 })).toBe(4)
  expect(count()).toBe(0)
})
