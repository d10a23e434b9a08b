import { expect, test } from 'vitest'
import { remainingCharacters, lengthOverLimit } from './text-limit.ts'

test('WRITING-1 a text over the limit is reported with its length', () => {
  expect(lengthOverLimit('x'.repeat(4_000), 4_000)).toBeNull()
  expect(lengthOverLimit('x'.repeat(4_001), 4_000)).toBe(4_001)
})

test('WRITING-1 characters are counted in code points, as on the server', () => {
  expect(lengthOverLimit('😀'.repeat(4_000), 4_000)).toBeNull()
  expect(lengthOverLimit('😀'.repeat(4_001), 4_000)).toBe(4_001)
  expect(remainingCharacters('😀'.repeat(3_990), 4_000)).toBe(10)
})

test('WRITING-1 remaining characters are shown only near the limit', () => {
  expect(remainingCharacters('x'.repeat(3_799), 4_000)).toBeNull()
  expect(remainingCharacters('x'.repeat(3_800), 4_000)).toBe(200)
  expect(remainingCharacters('x'.repeat(4_000), 4_000)).toBe(0)
  expect(remainingCharacters('x'.repeat(4_001), 4_000)).toBeNull()
})
