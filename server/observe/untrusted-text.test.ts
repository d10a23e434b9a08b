import { expect, test } from 'vitest'
import { untrustedText } from './untrusted-text.ts'

test('OPERATING-6 untrusted text is truncated, and its control characters are escaped', () => {
  expect(untrustedText('https://chat.example')).toBe('https://chat.example')
  expect(untrustedText('a\u0000b\u001b[31m\u009b2J\u007f\u202e\u2028\u2029')).toBe(
    String.raw`a\u{0}b\u{1b}[31m\u{9b}2J\u{7f}\u{202e}\u{2028}\u{2029}`,
  )
  expect(untrustedText('x'.repeat(16_000))).toBe(`${'x'.repeat(200)}…`)
  expect(untrustedText('\ud83d')).toBe(String.raw`\u{d83d}`)
})
