import { expect, test } from 'vitest'
import { isBlank } from './message-text.ts'

test.each([
  '',
  ' ',
  '\n\t',
  '\u200b',
  '\u3164',
  '\u2800\u2800',
  '\u200d\ufe0f',
  '\u202e\u202c',
  '\u00ad',
  '\u{e0041}',
  '\u0000',
])('SHOWN-1 %j is blank', (text) => {
  expect(isBlank(text)).toBe(true)
})

test.each(['a', '.', '\u0301', '❤\ufe0f', ' \u200b. ', '👩\u200d💻', '\ue000'])('SHOWN-1 %j is not blank', (text) => {
  expect(isBlank(text)).toBe(false)
})
