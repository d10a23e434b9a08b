import { expect, test } from 'vitest'
import { charactersLeft, tooManyCharacters } from './text-limit.ts'

test('WRITING-1 a text up to the limit may be sent, one more is counted', () => {
  expect(tooManyCharacters('x'.repeat(4_000), 4_000)).toBeNull()
  expect(tooManyCharacters('x'.repeat(4_001), 4_000)).toBe(4_001)
})

test('WRITING-1 a character is a code point, as the server counts', () => {
  expect(tooManyCharacters('😀'.repeat(4_000), 4_000)).toBeNull()
  expect(tooManyCharacters('😀'.repeat(4_001), 4_000)).toBe(4_001)
  expect(charactersLeft('😀'.repeat(3_990), 4_000)).toBe(10)
})

test('WRITING-1 what is left is shown near the limit only', () => {
  expect(charactersLeft('x'.repeat(3_799), 4_000)).toBeNull()
  expect(charactersLeft('x'.repeat(3_800), 4_000)).toBe(200)
  expect(charactersLeft('x'.repeat(4_000), 4_000)).toBe(0)
  expect(charactersLeft('x'.repeat(4_001), 4_000)).toBeNull()
})
