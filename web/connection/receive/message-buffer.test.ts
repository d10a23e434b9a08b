import { expect, test } from 'vitest'
import {
  createMessageBuffer,
  endKey,
  entriesBetween,
  entryAt,
  entryBytes,
  maxBufferedBytes,
  maxBufferedMessages,
  type MessageList,
  trimBatchSize,
} from './message-buffer.ts'

const chatMessage = (message: string) => ({ username: 'ann', message, createdTime: 0 })

const bytesOf = ({ entries, length }: MessageList) =>
  entries.slice(0, length).reduce((sum, entry) => sum + entryBytes(entry), 0)

const numberAt = (list: MessageList, index: number) => {
  const entry = list.entries.at(index)
  return entry?.kind === 'message' ? entry.number : null
}

test('READING-11 the newest 100,000 messages are kept, and a notice replaces the older ones', () => {
  const buffer = createMessageBuffer()
  const total = 3 * maxBufferedMessages + 7
  let maxLength = 0
  for (let index = 0; index < total; index++) {
    buffer.appendMessage(chatMessage('hi'), true)
    if (index % 500 === 0) maxLength = Math.max(maxLength, buffer.view().length)
  }
  const list = buffer.view()
  expect(maxLength).toBeLessThanOrEqual(maxBufferedMessages + trimBatchSize + 1)
  expect(list.length).toBeGreaterThan(maxBufferedMessages)
  expect(list.receivedCount).toBe(total)
  expect(list.entries[0]?.kind).toBe('trimmed')
  expect(numberAt(list, -1)).toBe(total)
  expect(numberAt(list, 1)).toBe(total - list.length + 2)
  expect(endKey(list)).toBe(total)
  for (const key of [list.firstKey, list.firstKey + 1, endKey(list) - 1]) expect(entryAt(list, key)?.key).toBe(key)
  expect(entryAt(list, list.firstKey - 1)).toBeUndefined()
})

test('READING-11 long messages are kept within 64 MiB', () => {
  const buffer = createMessageBuffer()
  const long = 'x'.repeat(4_000)
  for (let index = 0; index < 20_000; index++) {
    buffer.appendMessage(chatMessage(long), true)
    if (index % 1_000 === 0) expect(bytesOf(buffer.view())).toBeLessThanOrEqual(maxBufferedBytes)
  }
  const list = buffer.view()
  expect(bytesOf(list)).toBeLessThanOrEqual(maxBufferedBytes)
  expect(bytesOf(list)).toBeGreaterThan(maxBufferedBytes * 0.9)
  expect(list.entries[0]?.kind).toBe('trimmed')
  expect(numberAt(list, -1)).toBe(20_000)
})

test('READING-11 an existing view does not change when messages are evicted', () => {
  const buffer = createMessageBuffer()
  for (let index = 0; index < maxBufferedMessages + trimBatchSize - 1; index++)
    buffer.appendMessage(chatMessage('hi'), true)
  const before = buffer.view()
  expect(numberAt(before, 0)).toBe(1)
  buffer.appendMessage(chatMessage('hi'), true)
  buffer.appendMessage(chatMessage('hi'), true)
  expect(buffer.view().entries[0]?.kind).toBe('trimmed')
  expect(numberAt(before, 0)).toBe(1)
  expect(before.firstKey).toBe(0)
})

test('READING-8 a message is marked as own by its sequence number, before or after it arrives', () => {
  const buffer = createMessageBuffer()
  buffer.markOwn(2)
  buffer.appendMessage(chatMessage('another'), true, 1)
  buffer.appendMessage(chatMessage('mine'), true, 2)
  buffer.appendMessage(chatMessage('mine too'), true, 3)
  buffer.appendMessage(chatMessage('another'), true, 4)
  expect(buffer.view().newestOwnKey).toBe(1)
  buffer.markOwn(3)
  const { entries, newestOwnKey } = buffer.view()
  expect(entries.map((entry) => entry.kind === 'message' && entry.isOwn)).toEqual([false, true, true, false])
  expect(newestOwnKey).toBe(2)
})

test('READING-8 after a gap the same sequence number identifies another message', () => {
  const buffer = createMessageBuffer()
  buffer.markOwn(2)
  buffer.appendGap(0)
  buffer.appendMessage(chatMessage('another'), true, 2)
  expect(buffer.view().newestOwnKey).toBeNull()
})

test('READING-4 a view contains no message that arrived after its creation', () => {
  const buffer = createMessageBuffer()
  for (let index = 0; index < 3; index++) buffer.appendMessage(chatMessage('hi'), true)
  const before = buffer.view()
  buffer.appendMessage(chatMessage('later'), true)
  expect(entryAt(before, 2)?.key).toBe(2)
  expect(entryAt(before, 3)).toBeUndefined()
  const keys = (from: number, to?: number) => entriesBetween(before, from, to).map(({ key }) => key)
  expect(keys(1)).toEqual([1, 2])
  expect(keys(-2)).toEqual([0, 1, 2])
  expect(keys(0, 2)).toEqual([0, 1])
  expect(keys(2, 9)).toEqual([2])
  expect(keys(3)).toEqual([])
  expect(keys(-2, -1)).toEqual([])
})

test('RT-3 without changes the buffer returns the same view', () => {
  const buffer = createMessageBuffer()
  expect(buffer.view().length).toBe(0)
  buffer.appendMessage(chatMessage('hi'), true)
  const view = buffer.view()
  expect(view.length).toBe(1)
  expect(buffer.view()).toBe(view)
})

const textsOf = ({ entries, length }: MessageList) =>
  entries.slice(0, length).map((entry) => (entry.kind === 'message' ? entry.message.message : entry.kind))

test('MODERATION-30 a removed message loses its text and keeps number, name and time', () => {
  const buffer = createMessageBuffer()
  for (const seq of [4, 5, 6]) buffer.appendMessage(chatMessage(`text ${seq}`), true, seq)
  const before = buffer.view()
  buffer.removeMessages([5, 2], 6)
  const list = buffer.view()
  expect(list).not.toBe(before)
  expect(textsOf(list)).toEqual(['text 4', 'message removed', 'text 6'])
  expect(list.entries[1]).toMatchObject({ key: 1, number: 2, isRemoved: true, message: { username: 'ann' } })
  expect(JSON.stringify(before.entries)).not.toContain('text 5')
  buffer.removeMessages([5], 6)
  expect(buffer.view().entries[1]).toMatchObject({ message: { message: 'message removed' } })
})

test('MODERATION-30 a removed message loses every unknown field', () => {
  const buffer = createMessageBuffer()
  const message = { ...chatMessage('text'), picture: 'secret' }
  buffer.appendMessage(message, true, 1)
  buffer.removeMessages([1], 1)
  expect(buffer.view().entries[0]).toMatchObject({ message: chatMessage('message removed') })
  expect(JSON.stringify(buffer.view().entries)).not.toContain('secret')
})

test('MODERATION-30 a message that was removed before it arrives is shown as removed', () => {
  const buffer = createMessageBuffer()
  buffer.removeMessages([1, 2], 1)
  buffer.appendMessage(chatMessage('two'), false, 2)
  buffer.appendMessage(chatMessage('three'), false, 3)
  expect(textsOf(buffer.view())).toEqual(['message removed', 'three'])
})

test('MODERATION-30 a removal does not change messages of another log, or messages that a log lost', () => {
  const buffer = createMessageBuffer()
  for (const seq of [1, 2, 3]) buffer.appendMessage(chatMessage(`old ${seq}`), true, seq)
  buffer.appendGap(0)
  for (const seq of [1, 2, 3]) buffer.appendMessage(chatMessage(`new ${seq}`), true, seq)
  buffer.appendGap(1)
  buffer.appendMessage(chatMessage('other 2'), true, 2)
  buffer.removeMessages([1, 2, 3], 2)
  buffer.appendMessage(chatMessage('other 3'), true, 3)
  expect(textsOf(buffer.view())).toEqual([
    'old 1',
    'old 2',
    'old 3',
    'gap',
    'message removed',
    'new 2',
    'new 3',
    'gap',
    'message removed',
    'message removed',
  ])
})

test('MODERATION-34 after a gap, a moderator can act only on messages that are still in the log', () => {
  const buffer = createMessageBuffer()
  for (const seq of [1, 2, 3]) buffer.appendMessage(chatMessage(`${seq}`), true, seq)
  const seqs = () => buffer.view().entries.map((entry) => entry.kind === 'message' && entry.seq)
  buffer.appendGap(2)
  expect(seqs()).toEqual([1, 2, undefined, false])
  buffer.appendGap(0)
  expect(seqs()).toEqual([undefined, undefined, undefined, false, false])
})

test('MODERATION-30 removals update the memory size of the list', () => {
  const buffer = createMessageBuffer()
  const long = 'x'.repeat(4_000)
  for (let seq = 1; seq <= 8_300; seq++) buffer.appendMessage(chatMessage(long), true, seq)
  expect(buffer.view().entries[0]?.kind).toBe('trimmed')
  const length = buffer.view().length
  buffer.removeMessages(
    Array.from({ length: 8_300 }, (_, index) => index + 1),
    8_300,
  )
  for (let seq = 8_301; seq <= 10_000; seq++) buffer.appendMessage(chatMessage(long), true, seq)
  expect(buffer.view().length).toBe(length + 1_700)
})
