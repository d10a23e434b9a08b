import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { anonymousLabel, isAnonymousLabel } from './anonymous-label.ts'
import { maxNameCharacters, maxTypedNameUnits } from './limits.ts'
import { cleanAnonymousName, normalizeName, findNameProblem } from './names.ts'

const clean = (name: string) => cleanAnonymousName(name) ?? expect.unreachable('The name is too long.')
const label = (name: string) => anonymousLabel(clean(name))

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
  'bob(№t㏒ged㏌)(№t㏒ged㏌)',
  'bob (not loggedin): (not loggedin) \u119e(not loggedin):',
])('SEND-2 the label has the suffix once, even if the typed name contains a disguised one: %j', (typed) => {
  expect(label(typed)).toBe('bob (not loggedin)')
})

test('SEND-2 a letter keeps at most four marks', () => {
  expect(label(`z${'\u0335'.repeat(50)}!`)).toBe(`z${'\u0335'.repeat(4)}! (not loggedin)`)
})

test('SEND-2 for any input, the label ends with the suffix exactly once and contains no hidden characters', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          'bob', ' ', ':', '\u200b', '\u202e', '(not loggedin)', '(NOT', 'loggedin)', '\ufe0f', '(№t㏒ged㏌)', '\u119e', '\u0903', '\u0301', '⠆',
        ), // prettier-ignore
      )
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(typed, (name) => {
      const cleaned = cleanAnonymousName(name)
      fc.pre(cleaned !== null)
      expect(cleanAnonymousName(cleaned)).toBe(cleaned)
      expect(isAnonymousLabel(cleaned)).toBe(false)
      expect(cleaned.normalize('NFKC')).not.toMatch(/\(\s*not\s*logged\s*in\s*\)\s*$/iu)
      expect(cleaned).not.toMatch(/[\p{C}\p{Default_Ignorable_Code_Point}]/u)
      expect(` ${cleaned} `).not.toContain(' : ')
    }),
    { numRuns: 2_000 },
  )
})

test('SEND-2 a name is kept if it is within the limit after cleaning, even if the removed part is longer than the limit', () => {
  const longest = '😀'.repeat(maxNameCharacters)
  expect(label(longest)).toBe(`${longest} (not loggedin)`)
  expect(label(`bob${'⠆'.repeat(100)}${'(not loggedin)'.repeat(20)}`)).toBe('bob (not loggedin)')
})

test.each([
  ['one character more than the limit', 'a'.repeat(maxNameCharacters + 1)],
  ['more input than allowed', ' '.repeat(maxTypedNameUnits + 1)],
  ['far more than the limit after normalization', '\ufdfa'.repeat(maxTypedNameUnits)],
])('RT-2 an anonymous name with %s is too long', (_length, name) => {
  expect(cleanAnonymousName(name)).toBeNull()
})

/** Returns the number of UTF-16 units that `cleanAnonymousName` normalizes. */
function unitsNormalized(name: string): number {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  try {
    cleanAnonymousName(name)
    return normalize.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0)
  } finally {
    normalize.mockRestore()
  }
}

test('LIMITS-6 for any input, an anonymous name is normalized only a few times and only while it is short', () => {
  const maxUnits = 10 * maxTypedNameUnits
  const grown = '\ufdfa'.repeat(260) + '(№t㏒ged㏌)'.repeat(28)
  expect(unitsNormalized(grown)).toBeLessThanOrEqual(maxUnits)
  const parts = fc.constantFrom(
    '\ufdfa', 'ص', 'ω', '\u0313', '\u0342', '\u0345', '\u0903', '(not loggedin)', '(№t㏒ged㏌)', ':', ' ', '\u119e', '⠆', '\u200b',
  ) // prettier-ignore
  const repeated = fc
    .tuple(fc.array(parts, { maxLength: 4 }), fc.array(parts, { minLength: 1, maxLength: 6 }))
    .map(([head, chain]) => (head.join('') + chain.join('').repeat(maxTypedNameUnits)).slice(0, maxTypedNameUnits))
  const ended = repeated.map((name) => `${name.slice(14)}(not loggedin)`)
  fc.assert(
    fc.property(fc.oneof(repeated, ended), (name) => {
      expect(unitsNormalized(name)).toBeLessThanOrEqual(maxUnits)
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
])('API-1 the name %j can be registered', (name) => {
  expect(findNameProblem(normalizeName(name))).toBeNull()
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
])('API-1 the name %j cannot be registered', (name, problem) => {
  expect(findNameProblem(normalizeName(name))).toMatch(problem)
})

test('NAMES-2 no symbol except ASCII, emoji and currency signs stays in a name, and no standalone character looks like a colon', () => {
  const kept: string[] = []
  for (let code = 0xa0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (!/[\p{L}\p{M}\p{N}\p{S}\p{P}]/u.test(character)) continue
    const cleaned = clean(`bob ${character} hello`)
    if (cleaned !== 'bob hello') kept.push(cleaned.slice(4, -6))
  }
  for (const character of '\u2806\u2982\u2237\u{1d108}\u02d0\ua789\u0903\u205d\u2af6\u11a2\u1c7a\u2d57\u26ec\u2e2c\u0f14') {
    expect(kept).not.toContain(character)
  }
  const isAllowed = /[\x20-\x7e\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}\p{Sc}]/u
  const symbols = kept.filter((text) => /[\p{S}\p{No}]/u.test(text) && !isAllowed.test(text))
  expect(symbols).toStrictEqual([])
})
