import { expect, test } from 'vitest'
import * as sending from '../../connection/send/sender.ts'
import { noAnnouncement, nextAnnouncement, outboxNews } from './outbox-announcement.ts'

const at = { nowMs: 1, elapsedMs: 1, cursor: null }

/** Returns a sender that has sent each text without a connection. The field still shows the last text. */
function waiting(...texts: string[]) {
  let sender = sending.initialSender
  for (const text of texts) {
    const request = { id: text, name: 'bob', anonymous: true }
    sender = sending.send(sending.editDraft(sender, text), request, at).sender
  }
  return sender
}

const withEmptyField = (sender: sending.Sender) => sending.editDraft(sender, '')

test('A11Y-1 the status for screen readers names the newest row and counts the other unsent messages', () => {
  expect(outboxNews(waiting(), true)).toBeNull()
  expect(outboxNews(waiting('one'), true)).toBe('')
  expect(outboxNews(withEmptyField(waiting('one')), true)).toBe('Not sent yet: one')
  expect(outboxNews(waiting('one', 'two'), true)).toBe('Not sent yet: one, and 1 more')
  expect(outboxNews(withEmptyField(waiting('one', 'two', 'three')), true)).toBe('Not sent yet: three, and 2 more')
})

test('A11Y-1 the status for screen readers counts the held messages, and gives the reason of a rejection', () => {
  const held = (...texts: string[]) => sending.holdPending(withEmptyField(waiting(...texts)))
  expect(outboxNews(held('one'), true)).toBe('Not sent: one')
  expect(outboxNews(held('one', 'two', 'three'), true)).toBe('Not sent: three, and 2 more')
  const emitted = sending.opened(withEmptyField(waiting('one', 'two')), at).sender
  expect(outboxNews(sending.holdPending(emitted), true)).toBe('Not sent: two, and 1 more')
  const rejection = { ok: false, code: 'invalid', message: 'No.' } as const
  const rejected = sending.acknowledged(emitted, 'one', rejection, at).sender
  expect(outboxNews(rejected, true)).toBe('Not sent: one. No.')
})

test('A11Y-1 the status says once that no message waits, and only after it has announced a waiting one', () => {
  const texts = (...news: (string | null)[]) => {
    let announcement = noAnnouncement
    return news.map((item) => (announcement = nextAnnouncement(announcement, item)).text)
  }
  expect(texts(null, '', null)).toEqual(['', '', ''])
  expect(texts('Not sent yet: one', '', null)).toEqual(['Not sent yet: one', '', 'No messages are waiting.'])
  expect(texts('Not sent yet: one', null, '', null).slice(1)).toEqual(['No messages are waiting.', '', ''])
})
