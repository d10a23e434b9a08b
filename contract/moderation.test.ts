import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { ModeratorAction } from './moderation.ts'

const isAction = Compile(ModeratorAction)

test.each([
  { type: 'set-rules', rules: { readOnly: true, announcement: { id: '1', text: 'from a moderator' } } },
  { type: 'ban', senderOf: 1, minutes: null, loopback: true },
  { type: 'announce', text: 'from a moderator' },
  { type: 'mute', senderOf: 1, minutes: 10, reason: 'a\u009bb' },
])('MODERATION-12 a moderator cannot send the action %j', (action) => {
  expect(isAction.Check({ type: 'set-rules', rules: { readOnly: true } })).toBe(true)
  expect(isAction.Check(action)).toBe(false)
})
