import { expect, test } from 'vitest'
import { remainingCharacters, lengthOverLimit } from './text-limit.ts'

test('WRITING-1 a text up to the limit may be sent, one more is counted', () => {
  expect(lengthOverLimit('x'.repeat(4_000), 4_000)).toBeNull()
  expect(lengthOverLimit('x'.repeat(4_001), 4_000)).toBe(4_001)
})

test('WRITING-1 a character is a code point, as the server counts', () => {
  expect(lengthOverLimit('😀'.repeat(4_000), 4_000)).toBeNull()
  expect(lengthOverLimit('😀'.repeat(4_001), 4_000)).toBe(4_001)
  expect(remainingCharacters('😀'.repeat(3_990), 4_000)).toBe(10)
})

test('WRITING-1 what is left is shown near the limit only', () => {
  expect(remainingCharacters('x'.repeat(3_799), 4_000)).toBeNull()
  expect(remainingCharacters('x'.repeat(3_800), 4_000)).toBe(200)
  expect(remainingCharacters('x'.repeat(4_000), 4_000)).toBe(0)
  expect(remainingCharacters('x'.repeat(4_001), 4_000)).toBeNull()
})
