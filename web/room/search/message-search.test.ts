import { expect, test } from 'vitest'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { foldWithOffsets } from './fold.ts'
import {
  continueSearch,
  isSearchComplete,
  matchNumber,
  nearestMatch,
  searchPattern,
  startSearch,
  stepMatch,
} from './message-search.ts'

function bufferOf(texts: readonly string[], username = 'ann') {
  const buffer = createMessageBuffer()
  for (const message of texts) buffer.appendMessage({ username, message, createdTime: 0 }, true)
  return buffer
}

function searchIn(buffer: ReturnType<typeof bufferOf>, query: string) {
  const pattern = searchPattern(query)
  if (pattern === null) throw new Error('blank query')
  return continueSearch(startSearch(pattern), buffer.view())
}

test('READING-12 the search finds text and names, ignoring case, line breaks and special characters', () => {
  const buffer = bufferOf(['Good\nMorning', 'what (now)?', 'good evening'])
  expect(searchIn(buffer, ' good  morning ').keys).toEqual([0])
  expect(searchIn(buffer, '(NOW)?').keys).toEqual([1])
  expect(searchIn(buffer, 'ANN').keys).toEqual([0, 1, 2])
  expect(searchPattern('  ')).toBeNull()
})

test('READING-12 the search ignores accents, in the message and in the query', () => {
  const buffer = bufferOf(['Crème brûlée', 'creme', 'Cre\u0300me', 'ÅNGSTRÖM', 'κόσμος', 'ガス', '한국', 'Ёлка'], 'Zoë')
  expect(searchIn(buffer, 'creme').keys).toEqual([0, 1, 2])
  expect(searchIn(buffer, 'CRÈME').keys).toEqual([0, 1, 2])
  expect(searchIn(buffer, 'angstrom').keys).toEqual([3])
  expect(searchIn(buffer, 'κοσμος').keys).toEqual([4])
  expect(searchIn(buffer, 'елка').keys).toEqual([7])
  expect(searchIn(buffer, 'zoe : ga').keys).toEqual([])
  expect(searchIn(buffer, 'zoe').keys).toHaveLength(8)
  // Marks that make another letter are not accents.
  expect(searchIn(buffer, 'カス').keys).toEqual([])
  expect(searchIn(buffer, '하').keys).toEqual([])
  expect(searchPattern('\u0301')).toBeNull()
})

test('READING-12 the search ignores vowel marks, ligatures and other forms of the same letters', () => {
  const buffer = bufferOf(['Straße', 'STRASSE', '\u0643\u064f\u062a\u064f\u0628', 'שָׁלוֹם', 'o\ufb03ce', '\uff2f\uff2b'])
  for (const query of ['strasse', 'STRAẞE']) expect(searchIn(buffer, query).keys).toEqual([0, 1])
  expect(searchIn(buffer, '\u0643\u062a\u0628').keys).toEqual([2])
  expect(searchIn(buffer, 'שלום').keys).toEqual([3])
  expect(searchIn(buffer, 'office').keys).toEqual([4])
  expect(searchIn(buffer, 'ok').keys).toEqual([5])
})

test('READING-12 a position in the text without accents maps to a position in the original text', () => {
  const { text, offsets } = foldWithOffsets('Cre\u0300me brûlée 𝒳 ß')
  expect(text).toBe('Creme brulee 𝒳 ss')
  expect(offsets).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14, 16, 17, 17, 18])
  expect(foldWithOffsets('plain')).toEqual({ text: 'plain', offsets: [0, 1, 2, 3, 4, 5] })
})

test('READING-12 the search continues with new messages, and scans a long list in slices', () => {
  const buffer = bufferOf(Array.from({ length: 20_000 }, (_, index) => `message ${index}`))
  let search = searchIn(buffer, 'message 19999')
  expect(isSearchComplete(search, buffer.view())).toBe(false)
  for (let slice = 0; slice < 100; slice++) search = continueSearch(search, buffer.view())
  expect(search.keys).toEqual([19_999])
  expect(isSearchComplete(search, buffer.view())).toBe(true)
  buffer.appendMessage({ username: 'bob', message: 'MESSAGE 19999', createdTime: 0 }, true)
  expect(isSearchComplete(search, buffer.view())).toBe(false)
  expect(continueSearch(search, buffer.view()).keys).toEqual([19_999, 20_000])
})

test('READING-12 the search drops matches that the page no longer keeps', () => {
  const view = bufferOf(['one', 'two', 'one']).view()
  const search = searchIn(bufferOf(['one', 'two', 'one']), 'one')
  const trimmed = { ...view, entries: view.entries.slice(1), length: 2, firstKey: 1 }
  expect(continueSearch(search, trimmed).keys).toEqual([2])
})

test('READING-12 a message that is removed during a search is no longer a match of its text', () => {
  const buffer = createMessageBuffer()
  const texts = ['one', 'two', 'one']
  for (const [index, message] of texts.entries()) {
    buffer.appendMessage({ username: 'ann', message, createdTime: 0 }, true, index + 1)
  }
  const [byText, byName] = [searchIn(buffer, 'one'), searchIn(buffer, 'ann')]
  expect(byText.keys).toEqual([0, 2])
  buffer.removeMessages([1], 3)
  expect(isSearchComplete(byText, buffer.view())).toBe(false)
  expect(continueSearch(byText, buffer.view()).keys).toEqual([2])
  expect(continueSearch(byName, buffer.view()).keys).toEqual([0, 1, 2])
})

test('READING-12 next and previous go from match to match and continue at the other end', () => {
  const keys = [3, 7, 9]
  expect(nearestMatch(keys, 4)).toBe(7)
  expect(nearestMatch(keys, 10)).toBe(9)
  expect(nearestMatch([], 0)).toBeNull()
  expect([stepMatch(keys, 7, 1), stepMatch(keys, 9, 1), stepMatch(keys, 4, 1)]).toEqual([9, 3, 7])
  expect([stepMatch(keys, 7, -1), stepMatch(keys, 3, -1), stepMatch(keys, 4, -1)]).toEqual([3, 9, 3])
  expect(keys.map((key) => matchNumber(keys, key))).toEqual([1, 2, 3])
  expect(matchNumber(keys, null)).toBe(0)
})
