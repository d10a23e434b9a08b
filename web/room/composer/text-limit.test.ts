import { expect, test } from 'vitest'
import { charactersLeft, overLimit } from './text-limit.ts'

test('WRITING-1 a text up to the limit is taken, one more is refused with the numbers', () => {
  expect(overLimit('x'.repeat(4_000), 4_000)).toBeNull()
  expect(overLimit('x'.repeat(4_001), 4_000)).toMatch(/4,001 characters.*4,000/)
})

test('WRITING-1 a character is a code point, as the server counts', () => {
  expect(overLimit('😀'.repeat(4_000), 4_000)).toBeNull()
  expect(overLimit('😀'.repeat(4_001), 4_000)).not.toBeNull()
  expect(charactersLeft('😀'.repeat(3_990), 4_000)).toBe(10)
})

test('WRITING-1 what is left is shown near the limit only', () => {
  expect(charactersLeft('x'.repeat(3_799), 4_000)).toBeNull()
  expect(charactersLeft('x'.repeat(3_800), 4_000)).toBe(200)
  expect(charactersLeft('x'.repeat(4_000), 4_000)).toBe(0)
  expect(charactersLeft('😀'.repeat(2_000), 4_000)).toBeNull()
})
