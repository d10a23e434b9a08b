import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeName, findNameProblem } from '../../../contract/names.ts'
import { confusables } from './confusables.ts'
import { lookKey, looksAnonymous, nameKey } from './name-key.ts'
import { fromHex, skeleton } from './skeleton.ts'

const clash = (a: string, b: string) => nameKey(a) === nameKey(b) || lookKey(a) === lookKey(b)

test.each([
  ['alice', 'Alice'],
  ['alice', '\u0430lice'], // Cyrillic а
  ['alice', 'ａｌｉｃｅ'],
  ['alice', 'al\u0131ce'], // dotless i
  ['alice', 'aIice'], // capital I for l
  ['alice', 'a1ice'],
  ['alice', '\u{1d41a}lice'], // mathematical bold a
  ['\u0130an', 'ian'], // dotted capital I
  ['modern', 'rnodern'],
  ['Modern', 'RNODERN'],
  ['Nick', '\u039dick'], // Greek capital nu, whose small letter looks like v
  ['nick', '\u039dICK'],
  ['Hello', '\u041dello'], // Cyrillic capital en
  ['bob', '\u0412\u041e\u0412'],
  ['Ian', 'lan'],
  ['O0O', 'ooo'],
  ['\u03bd\u03b9\u03ba\u03bf\u03c2', '\u039d\u0399\u039a\u039f\u03a3'], // a Greek name in both cases
  ['gro\u00df', 'GROSS'],
  ['gro\u00df', 'gro\u03b2'], // Greek beta for sharp s
  ['caf\u00e9', 'cafe\u0301'],
  ['bob', '\u0299\u1d0f\u0299'], // small capitals
  ['Wendy', 'vvendy'],
  ['WENDY', '\u1d21\u1d07\u0274\u1d05\u028f'],
  ['anna', '\u1d00\u0274\u0274\u1d00'],
  ['Frank', '\ua730\u0280\u1d00\u0274\u1d0b'],
  ['bo\u0308b', 'bo\u0308\u0308b'], // the same mark twice
  ['z\u0335', 'z\u0335\u0335\u0335'],
  ['z\u0335', 'z\u0336'], // two kinds of strokes
  ['S\u00f8ren', 'So\u0337ren'],
  ['dave', 'clave'],
  ['Greg', '\u01e4reg'], // a stroke that is hardly visible
  ['đuro', 'duro'],
  ['Paweł', 'Pawel'],
  ['Рома', '\u048eома'],
  ['日本', '曰本'],
  ['Ma', '\u13b7a'], // Cherokee
  ['\uab87a', '\u13b7a'],
  ['मोहन', 'माेहन'], // the vowel sign o as two signs
  ['मोहन', 'मेाहन'],
  ['कौशल', 'काैशल'],
  ['ऑटो', 'आॅटाे'],
  ['ओम', 'आेम'],
  ['ગૌરવ', 'ગાૈરવ'],
  ['કોમલ', 'કાેમલ'],
  ['កោះ', 'កេាះ'],
  ['កើត', 'កេីត'],
  ['កៅ', 'កែា'],
  ['ఆనంద', 'అానంద'],
  ['ಊರ', 'ಉಾರ'],
  ['ആന', 'അാന'],
  ['ကို', 'ကုိ'],
  ['ແກ້ວ', 'ເເກ້ວ'],
  ['উৎসব', 'উত্সব'],
  ['ඈත', 'ඇෑත'],
  ['Bob🇺🇸', 'Bob🇺🇲'],
  ['🇫🇷 Zoé', '🇨🇵 Zoé'],
  ['Will', 'Wi丨丨'],
])('API-1 the names %j and %j conflict', (a, b) => {
  expect(clash(a, b)).toBe(true)
})

test.each([
  ['bob', 'rob'],
  ['anna', 'hanna'],
  ['bob', 'bob2'],
  ['nick', 'vick'],
  ['李雷', '李霞'],
  ['Jörg', 'Jorg'],
  ['Bø', 'Bo'],
  ['Bob🇫🇮', 'Bob🇸🇪'],
  ['मोहन', 'मीहन'],
  ['bob (not loggedin)x', 'bob'],
])('API-1 the names %j and %j do not conflict', (a, b) => {
  expect(clash(a, b)).toBe(false)
})

test.each([
  ['bob', 'b\u043eb'],
  ['bob', 'B0B'],
  ['vick', '\u039dICK'], // in lower case the Greek nu looks like v
])('API-2 the names %j and %j find the same account', (a, b) => {
  expect(nameKey(a)).toBe(nameKey(b))
})

test.each(['%', '\u2030', '\u2780'])('API-1 computing the key is idempotent: %j', (name) => {
  for (const key of [nameKey, lookKey]) expect(key(key(name))).toBe(key(name))
})

test('API-1 computing the key is idempotent, and case or width never changes it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      for (const key of [nameKey, lookKey]) expect(key(key(name))).toBe(key(name))
      expect(nameKey(name.normalize('NFKC'))).toBe(nameKey(name))
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (name) => {
      expect(nameKey(name.toUpperCase())).toBe(nameKey(name.toLowerCase()))
      expect(lookKey(name.toUpperCase())).toBe(lookKey(name.toLowerCase()))
    }),
  )
})

test('API-1 texts with the same skeleton have the same look key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (name) => {
      expect(lookKey(skeleton(name.normalize('NFKC')))).toBe(lookKey(name))
    }),
  )
})

test.each([
  'bob (n\u03bft l\u043egg\u0435d\u0456n)',
  'bob \u2768not 1oggedin\u2769',
  'bob (not logged in)',
  '\u0430nonymous-not-loggedin',
  'ANONYMOUS-NOT-LOGGEDlN',
])('API-1 the name %j looks like an anonymous one', (name) => {
  expect(looksAnonymous(name)).toBe(true)
})

test.each(['anonymous', 'bob', 'not loggedin', 'bob (loggedin)'])(
  'API-1 the name %j does not look like an anonymous one',
  (name) => {
    expect(looksAnonymous(name)).toBe(false)
  },
)

const smallCapitals = [...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ']
const theirLetters = [...'abcdefghijklmnopqrstuvwyz']

test('NAMES-1 a word in small capitals conflicts with the word', () => {
  expect(smallCapitals).toHaveLength(theirLetters.length)
  for (const [index, capital] of smallCapitals.entries()) {
    expect(clash(`bo${capital}`, `bo${theirLetters[index]}`), capital).toBe(true)
  }
})

test('NAMES-1 repeating any marks does not change the keys', () => {
  const mark = fc.constantFrom(...'\u0301\u0308\u0323\u0335\u0338\u0307\u0327')
  const letter = fc.constantFrom(...'abciouzwm')
  fc.assert(
    fc.property(fc.array(fc.tuple(letter, fc.array(mark, { maxLength: 3 })), { maxLength: 6 }), (letters) => {
      const name = letters.map(([base, marks]) => base + marks.join('')).join('')
      const doubled = letters.map(([base, marks]) => base + [...marks, ...marks].join('')).join('')
      expect(nameKey(doubled)).toBe(nameKey(name))
      expect(lookKey(doubled)).toBe(lookKey(name))
    }),
  )
})

test('NAMES-1 every character of the table that a name can have conflicts with its look-alike', () => {
  for (const entry of confusables.flatMap((line) => line.split(';'))) {
    const [prototype = '', lookAlikes = ''] = entry.split('=')
    for (const lookAlike of lookAlikes.split(' ')) {
      const [name, other] = [`a${fromHex(lookAlike)}z`, `a${fromHex(prototype)}z`]
      // A normalized name never contains a character that normalization changes.
      if (findNameProblem(normalizeName(name)) !== null || other.normalize('NFKD') !== other) continue
      expect(clash(name, other), `${lookAlike} ${prototype}`).toBe(true)
    }
  }
})
