import { expect, test } from 'vitest'
import type { ModeratorAction } from '../../../contract/moderation.ts'
import { auditText, resultText } from './action-result.ts'

test('MODERATION-33 the result text says what an action has done', () => {
  const remove: ModeratorAction = { type: 'remove', seqs: [3] }
  expect(resultText(remove, { ok: true, removed: 1 })).toBe('1 message removed')
  expect(resultText({ type: 'remove-sender', senderOf: 3 }, { ok: true, removed: 500 })).toBe('500 messages removed')
  const restriction = { id: 'a', kind: 'ban', target: 'ann', reason: null, endsAtMs: null } as const
  expect(resultText({ type: 'ban', senderOf: 3, minutes: null }, { ok: true, restriction })).toBe(
    'ann: banned permanently',
  )
  expect(resultText(remove, { ok: false, code: 'not_allowed', message: 'You are not a moderator.' })).toBe(
    'You are not a moderator.',
  )
})

test('MODERATION-33 the recent actions are sentences; a command without a text is shown as it is', () => {
  expect(['mute', 'end-restriction', 'users erase'].map(auditText)).toEqual(['muted', 'ended the', 'users erase'])
})
