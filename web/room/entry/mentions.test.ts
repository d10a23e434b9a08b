import { expect, test } from 'vitest'
import { defaultIdentity } from '../../../contract/constants.ts'
import { createMentionMatcher } from './mentions.ts'

const isMentioned = (name: string, message: string) => createMentionMatcher(name, 'other')(message)

test.each([
  ['Bob', 'bob, are you there?'],
  ['bob', 'thanks, BOB!'],
  ['bob', '@bob'],
  ['bob', 'it is bob'],
  ['a.b', 'ask a.b about it'],
  ['C++', 'C++ is here'],
  ['Ünal', 'hello u\u0308nal'],
  ['小明', '你好小明你好'],
  ['Ann Lee', 'so says ann lee.'],
])('READING-9 %j is mentioned in %j', (name, message) => {
  expect(isMentioned(name, message)).toBe(true)
})

test.each([
  ['bob', 'bobby is here'],
  ['bob', 'kabob'],
  ['bob', 'bob_2'],
  ['a.b', 'axb'],
  ['ann', 'annę'],
  ['x', 'x marks the spot'],
  ['', 'anything'],
  ['anonymous', 'he is anonymous'],
])('READING-9 %j is not mentioned in %j', (name, message) => {
  expect(isMentioned(name, message)).toBe(false)
})

test('READING-9 an anonymous user is matched by the chosen name, an account by its own', () => {
  expect(createMentionMatcher(defaultIdentity, 'zoe')('hi zoe')).toBe(true)
  expect(createMentionMatcher('bob', 'zoe')('hi zoe')).toBe(false)
})

test('READING-9 matching the longest name in the longest message is fast', () => {
  const matches = createMentionMatcher('a'.repeat(63) + 'b', '')
  const startedMs = performance.now()
  for (let round = 0; round < 100; round++) expect(matches('a'.repeat(4_000))).toBe(false)
  expect((performance.now() - startedMs) / 100).toBeLessThan(20)
})
