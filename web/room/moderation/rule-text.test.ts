import { expect, test } from 'vitest'
import { noRules } from '../../../contract/constants.ts'
import { ruleText } from './rule-text.ts'

test('MODERATION-31 the composer shows the rules that concern the user', () => {
  const rules = { ...noRules, accountsOnly: true, linksOff: true, slowModeSeconds: 30 }
  expect(ruleText(rules, true, false)).toBe(
    'Only registered users can write. Log in or register first. Links are not allowed in this room. ' +
      'Slow mode: one message every 30 seconds.',
  )
  expect(ruleText(rules, false, false)).not.toContain('registered')
  expect(ruleText(rules, false, true)).toMatch(/Moderators are exempt\.$/)
  expect(ruleText({ ...rules, readOnly: true }, true, false)).toBe('The room is read-only at the moment.')
  expect(ruleText({ ...noRules, accountsOnly: true }, false, true)).toBe('')
})
