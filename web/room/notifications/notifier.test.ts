import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCell } from '../../connection/cell.ts'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { createMentionMatcher } from '../entry/mentions.ts'
import { createNotifier, type NotificationChoice } from './notifier.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function startNotifier(choice: NotificationChoice) {
  const buffer = createMessageBuffer()
  const messages = createCell(buffer.view())
  const page = { isHidden: true }
  const shown: string[] = []
  const notifier = createNotifier({
    choice,
    messages,
    mentionMatcher: () => createMentionMatcher('Mia', ''),
    isHidden: () => page.isHidden,
    show: (text) => shown.push(text),
    close: () => shown.push('closed'),
  })
  const receive = (message: string, seq?: number) => {
    buffer.appendMessage({ username: 'ann', message, createdTime: 0 }, true, seq)
    messages.set(buffer.view())
  }
  const remove = (seq: number) => {
    buffer.removeMessages([seq], seq)
    messages.set(buffer.view())
  }
  return { receive, remove, shown, page, notifier, markOwn: (seq: number) => buffer.markOwn(seq) }
}

test('READING-14 a hidden page shows a notification for a message that mentions the user, and for no other', () => {
  const { receive, shown } = startNotifier('mentions')
  receive('hello')
  receive('hello Mia')
  vi.runAllTimers()
  expect(shown).toEqual(['ann : hello Mia'])
})

test('READING-14 with all messages, messages that arrive together are one notification', () => {
  const { receive, shown, markOwn } = startNotifier('all')
  receive('hello')
  receive('again')
  markOwn(7)
  receive('of this page', 7)
  vi.runAllTimers()
  expect(shown).toEqual(['2 new messages from ann'])
})

test('READING-14 a visible page and a stopped notifier show nothing', () => {
  const { receive, shown, page, notifier } = startNotifier('all')
  page.isHidden = false
  receive('seen')
  page.isHidden = true
  vi.runAllTimers()
  receive('seen in time')
  page.isHidden = false
  vi.runAllTimers()
  page.isHidden = true
  receive('not wanted')
  notifier.stop()
  receive('not wanted')
  vi.runAllTimers()
  expect(shown).toEqual([])
})

test('MODERATION-30 the text of a removed message is not shown in a notification, and a shown one is closed', () => {
  const { receive, remove, shown } = startNotifier('all')
  receive('removed before', 1)
  remove(1)
  vi.runAllTimers()
  expect(shown).toEqual([])
  receive('removed afterwards', 2)
  vi.runAllTimers()
  remove(2)
  expect(shown).toEqual(['ann : removed afterwards', 'closed'])
})
