import { beforeEach, expect, test } from 'vitest'
import { createMessageBuffer, type MessageEntry } from '../../connection/receive/message-buffer.ts'
import { announcementText, collectMessages, dueAtMs, type PendingAnnouncement } from './announcer.ts'

let buffer: ReturnType<typeof createMessageBuffer>
beforeEach(() => {
  buffer = createMessageBuffer()
})

/** Receives a message and returns its entry. The sequence number of the message equals the key of the entry. */
function message(username: string, text = 'hi'): MessageEntry {
  buffer.appendMessage({ username, message: text, createdTime: 0 }, true, buffer.view().length)
  const entry = buffer.view().entries.at(-1)
  if (entry?.kind !== 'message') throw new Error('The buffer is empty.')
  return entry
}

function textOf(pending: PendingAnnouncement | null): string | null {
  expect(pending).not.toBeNull()
  return pending === null ? '' : announcementText(pending, buffer.view())
}

test('A11Y-1 a single message is announced with its sender and text', () => {
  expect(textOf(collectMessages(null, [message('alice', 'good morning')], 0))).toBe('alice : good morning')
})

test('SHOWN-4 an announced message is one line', () => {
  expect(textOf(collectMessages(null, [message('alice', 'ok\u2028bob :\nno')], 0))).toBe('alice : ok bob : no')
})

test('A11Y-1 a burst over several frames is announced as one count', () => {
  let pending = collectMessages(null, [message('alice'), message('bob')], 0)
  pending = collectMessages(pending, [message('alice')], 16)
  pending = collectMessages(pending, [message('carol'), message('bob')], 33)
  expect(textOf(pending)).toBe('5 new messages from 3 senders')
})

test('A11Y-1 a burst from one sender names the sender', () => {
  expect(textOf(collectMessages(null, [message('alice'), message('alice')], 0))).toBe('2 new messages from alice')
})

test('MODERATION-30 a message that is removed before its announcement is not announced', () => {
  const pending = collectMessages(null, [message('alice', 'removed text')], 0)
  buffer.removeMessages([0], 0)
  expect(textOf(pending)).toBeNull()
  expect(textOf(collectMessages(pending, [message('alice')], 16))).toBe('2 new messages from alice')
})

test('A11Y-1 adding no message does not change the pending announcement', () => {
  expect(collectMessages(null, [], 5)).toBeNull()
  const pending = collectMessages(null, [message('alice')], 0)
  expect(collectMessages(pending, [], 5)).toBe(pending)
})

test('A11Y-1 fifty messages in a second are one announcement, made when they pause', () => {
  let pending: PendingAnnouncement | null = null
  for (let index = 0; index < 50; index++) {
    const nowMs = index * 20
    if (pending !== null) expect(dueAtMs(pending)).toBeGreaterThan(nowMs)
    pending = collectMessages(pending, [message(`person ${index % 3}`)], nowMs)
  }
  expect(textOf(pending)).toBe('50 new messages from 3 senders')
  expect(pending === null ? 0 : dueAtMs(pending)).toBe(49 * 20 + 600)
})

test('A11Y-1 messages without a pause are announced three seconds after the first message', () => {
  let pending: PendingAnnouncement | null = null
  for (let nowMs = 0; nowMs <= 2_990; nowMs += 10) pending = collectMessages(pending, [message('alice')], nowMs)
  expect(pending === null ? 0 : dueAtMs(pending)).toBe(3_000)
})
