import { expect, test } from 'vitest'
import type { Entry } from '../../connection/receiving/message-buffer.ts'
import { afterScroll, type Reading, startOfReading, unseenMessages, type View } from './reading.ts'

const top = { index: 3, offsetPx: 7 }
const view = (changes: Partial<View>): View => ({
  length: 10,
  atEnd: false,
  movedUp: false,
  lastVisible: () => 5,
  top: () => top,
  ...changes,
})
const away: Reading = { stuck: false, seen: 6, anchor: top }

test('READING-2 moving up leaves the end; all that was there has been seen', () => {
  expect(afterScroll(startOfReading, view({ movedUp: true }))).toEqual({ stuck: false, seen: 10, anchor: top })
})

test('READING-2 a list that grows under a reader at its end is not left', () => {
  expect(afterScroll(startOfReading, view({ movedUp: false }))).toBe(startOfReading)
})

test('READING-2 reaching the end sticks to it again', () => {
  expect(afterScroll(away, view({ atEnd: true }))).toEqual({ stuck: true, seen: 10, anchor: top })
})

test('READING-2 what scrolls into sight has been seen, what scrolls out of it is not forgotten', () => {
  expect(afterScroll(away, view({ lastVisible: () => 8 })).seen).toBe(9)
  expect(afterScroll(away, view({ lastVisible: () => 1, movedUp: true })).seen).toBe(6)
})

test('READING-2 unseen messages are counted, gaps are not messages', () => {
  const message = (number: number): Entry => ({
    kind: 'message',
    key: number,
    number,
    message: { username: 'a', message: 'b', createdTime: 0 },
    live: true,
    seq: undefined,
    own: false,
  })
  const entries: Entry[] = [message(1), message(2), { kind: 'gap', key: 99 }, message(3), message(4)]
  expect(unseenMessages({ ...away, seen: 2 }, entries, 5)).toBe(2)
  expect(unseenMessages({ ...away, seen: 3 }, entries, 4)).toBe(1)
  expect(unseenMessages({ ...away, seen: 0 }, entries, 5)).toBe(4)
  expect(unseenMessages({ ...away, seen: 5 }, entries, 5)).toBe(0)
  expect(unseenMessages({ ...startOfReading, seen: 2 }, entries, 5)).toBe(0)
})
