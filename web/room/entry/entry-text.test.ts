import { expect, test } from 'vitest'
import { entryText, sharedTimePrefixLength } from './entry-text.ts'
import { timeText } from './time-format.ts'

test('CHAT-7 an entry has the form [local date-time] username : message', () => {
  const createdTime = Date.UTC(2026, 0, 2, 3, 4, 5)
  expect(entryText({ username: 'alice', message: 'hi : there', createdTime })).toBe(
    `[${new Date(createdTime).toLocaleString()}] alice : hi : there`,
  )
})

test('SHOWN-4 the text of an entry is one line, whatever separates lines in the message', () => {
  for (const separator of [
    '\n',
    '\r\n',
    '\r',
    '\v',
    '\f',
    '\u001c',
    '\u001d',
    '\u001e',
    '\u0085',
    '\u2028',
    '\u2029',
  ]) {
    const text = entryText({ username: 'alice', message: `ok${separator}[noon] bob : no`, createdTime: 0 })
    expect(text, JSON.stringify(separator)).toMatch(/ : ok \[noon\] bob : no$/)
  }
})

const entry = (createdTime: number) => ({
  kind: 'message' as const,
  key: 0,
  day: 20261116,
  number: 1,
  message: { username: 'alice', message: 'hi', createdTime },
  isLive: true,
  seq: undefined,
  isOwn: false,
  isRemoved: false,
})

test('READING-9 a time shares a prefix of whole words with the previous one', () => {
  const noon = new Date(2026, 10, 16, 12, 0, 0).getTime()
  const sharedPrefix = (previousMs: number, atMs: number) => {
    const time = timeText(atMs)
    return time.slice(0, sharedTimePrefixLength(time, entry(previousMs)))
  }
  expect(sharedPrefix(noon, noon)).toBe(timeText(noon))
  expect(sharedPrefix(noon, noon + 61_000)).toMatch(/^\S*2026\S* $/)
  expect(sharedPrefix(noon, noon + 30 * 86_400_000)).toBe('')
  expect(sharedTimePrefixLength(timeText(noon), undefined)).toBe(0)
  expect(sharedTimePrefixLength(timeText(noon), { kind: 'gap', key: 0, day: 20261116 })).toBe(0)
})
