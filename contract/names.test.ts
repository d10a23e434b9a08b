import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anonymousLabel, isAnonymousLabel } from './anonymous-label.ts'
import { cleanAnonymousName, normalizeName, registeredNameProblem } from './names.ts'

const label = (name: string) => anonymousLabel(cleanAnonymousName(name))

test('SEND-2 an anonymous name gets the suffix', () => {
  expect(label('alice')).toBe('alice (not loggedin)')
})

test.each([
  'bob (not loggedin)',
  'bob (not loggedin) (not loggedin)',
  'bob (NOT LOGGEDIN)',
  'bob  ( not  logged in )  ',
  'bob\u200b (not\u200blogged\u2060in)',
  'bob（ｎｏｔ　ｌｏｇｇｅｄｉｎ）',
])('SEND-2 the suffix stands once, however it was disguised: %j', (typed) => {
  expect(label(typed)).toBe('bob (not loggedin)')
})

test('SEND-2 a letter keeps four marks at most', () => {
  expect(label(`z${'\u0335'.repeat(50)}!`)).toBe(`z${'\u0335'.repeat(4)}! (not loggedin)`)
})

test('SEND-2 whatever is typed, the label ends with the suffix exactly once and holds nothing hidden', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('bob', ' ', ':', '\u200b', '\u202e', '(not loggedin)', '(NOT', 'loggedin)', '\ufe0f'))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(typed, (name) => {
      const cleaned = cleanAnonymousName(name)
      expect(cleanAnonymousName(cleaned)).toBe(cleaned)
      expect(isAnonymousLabel(cleaned)).toBe(false)
      expect(cleaned).not.toMatch(/[\p{C}\p{Default_Ignorable_Code_Point}]/u)
      expect(` ${cleaned} `).not.toContain(' : ')
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  'alice',
  'Ålice Müller',
  '李雷',
  '12:30',
  'x',
  'राम\u0903',
  'Nguyễn Thị Ánh',
  'a'.repeat(64),
  '😀'.repeat(64),
  '❤ Zoë-Marie d’Arc 3.0',
  'မြွှောင့်',
  'ทิพย์',
  '二〇二六年',
  'O\u02bbahu',
])('API-1 may be registered: %j', (name) => {
  expect(registeredNameProblem(normalizeName(name))).toBeNull()
})

test.each([
  ['', /empty/],
  ['   ', /empty/],
  ['a'.repeat(65), /64/],
  ['a\u0000b', /invisible/],
  ['a\u202eb', /invisible/],
  ['a\u200bb', /invisible/],
  ['bob (not loggedin)', /must not end/],
  ['bob（ＮＯＴ loggedin）', /must not end/],
  ['anonymous-not-loggedin', /reserved/],
  ['Anonymous-Not-Loggedin', /reserved/],
  ['bob : hello', /colon/],
  ['bob:', /colon/],
  ['bob \u0703 hello', /colon/],
  ['bob \u0903 hello', /colon/],
  ['z\u0335\u0336\u0337\u0338\u0334', /marks/],
  ['b\u0336o\u0336b\u0336', /across/],
  ['b\u20ddob', /across/],
  ['bob \u2806 hello', /symbol/],
  ['bob \u2982 hello', /symbol/],
  ['bob \u2237 hello', /symbol/],
  ['bob \u{1d108} hello', /symbol/],
  ['bob .\u0307 hello', /mark/],
  ['bob\u0903 hello', /mark/],
  ['bob \u11a2 hello', /colon/],
  ['bob \u1c7a hello', /colon/],
])('API-1 may not be registered: %j', (name, problem) => {
  expect(registeredNameProblem(normalizeName(name))).toMatch(problem)
})

test('NAMES-2 of all characters, none that is a symbol stays in a name, and none that stands alone looks like a colon', () => {
  const kept: string[] = []
  for (let code = 0xa0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (!/[\p{L}\p{M}\p{N}\p{S}\p{P}]/u.test(character)) continue
    const cleaned = cleanAnonymousName(`bob ${character} hello`)
    if (cleaned !== 'bob hello') kept.push(cleaned.slice(4, -6))
  }
  for (const character of '\u2806\u2982\u2237\u{1d108}\u02d0\ua789\u0903\u205d\u2af6\u11a2\u1c7a\u2d57\u26ec\u2e2c\u0f14') {
    expect(kept).not.toContain(character)
  }
  const isAllowed = /[\x20-\x7e\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}\p{Sc}]/u
  const symbols = kept.filter((text) => /[\p{S}\p{No}]/u.test(text) && !isAllowed.test(text))
  expect(symbols).toStrictEqual([])
})
