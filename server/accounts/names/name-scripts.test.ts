import { expect, test } from 'vitest'
import { normalizeName, findNameProblem } from '../../../contract/names.ts'
import { lookKey, nameKey } from './name-key.ts'
import { findScriptProblem } from './name-scripts.ts'

// In DejaVu Sans Bold, a common font, the two letters of each pair differ in less than a tenth of their pixels.
const similarPairs =
  'đd bƀ KƘ GǤ gǥ ցǥ BɃ ΒɃ ВɃ RɌ Oʘ Θʘ Οʘ Оʘ вʙ нʜ кĸ εɛ qϥ ωѡ ЬҌ PҎ ΡҎ РҎ pҏ рҏ КҜ кҝ КҞ чҹ КԞ кԟ ĸᴋ кᴋ мᴍ иᴎ яᴙ тᴛ гᴦ пᴨ ' +
  'лᴫ PⱣ ΡⱣ РⱣ Иⵍ QꝖ qꝗ PꝐ РꝐ pꝑ рꝑ ÞꝤ þꝥ ÞꝦ þꝧ ЧꞍ gꞡ ցꞡ kꞣ шꟺ ƐꜪ ӇꜦ ͱⱶ'

const isRejected = (name: string) =>
  findNameProblem(normalizeName(name)) !== null || findScriptProblem(normalizeName(name)) !== null

const clash = (a: string, b: string) => nameKey(a) === nameKey(b) || lookKey(a) === lookKey(b)

test.each(['нн', 'nn', 'νν', 'ա', ''])(
  'NAMES-4 two names with the letters %j that differ only in similar glyphs conflict, or one of them is rejected',
  (rest) => {
    for (const pair of similarPairs.split(' ')) {
      const [one = '', other = ''] = [...pair]
      const names = [rest + one + rest, rest + other + rest] as const
      expect(names.some(isRejected) || clash(...names), `${pair} ${names.join(' ')}`).toBe(true)
    }
  },
)

test.each([
  ['Ми\ua7faа', /a letter that is not allowed/],
  ['Макси\u1d0d', /a letter that is not allowed/],
  ['mod\u02cdteam', /a letter that is not allowed/],
  ['mod\u02ccteam', /a letter that is not allowed/],
  ['tom אבגד', /two writing directions/],
  ['محمد 12 tom', /two writing directions/],
  ['Паве\u1d2b', /a letter that is not allowed/],
  ['\u2d4dван', /scripts/],
  ['\ua78dехов', /scripts/],
  ['\u043aate', /scripts/],
  ['Anna \u0430nna', /scripts/],
  ['Nei\u1175', /scripts/],
  ['Ma\u3128', /scripts/],
  ['\u1102eo', /scripts/],
  ['\u{10330}', /scripts/], // Gothic
  ['Ali\u0486ce', /mark/],
  ['Ali\u0312ce', /mark/],
  ['Ali\u030dce', /mark/],
  ['Ali\u030ace', /mark/],
  ['Ali\u064dce', /mark/],
  ['Ali\u20d0ce', /mark/],
  ['Ali\ufe22ce', /mark/],
  ['Ali\u0301\u0486ce', /mark/],
])('NAMES-4 the name %j cannot be registered', (name, problem) => {
  expect(findScriptProblem(normalizeName(name))).toMatch(problem)
})

test.each([
  'Максим',
  'Anna Иванова',
  'Łukasz Đorđević',
  'Yɛboah Ɔpɔku',
  '東京タワー and more',
  'X線カメラ',
  '김Tom',
  'ㅋㅋ Tom',
  'Νίκος',
  'Ἀχιλλεύς ᾠδή',
  'Olúfẹ́mi Adéọ̀lá',
  'Nguyễn Thị Ánh',
  'Žydrė́ Įsrūtỹ',
  'Ёлка Йӯ́',
  'Ðặng Ağa Şükrü Ålesund',
  'محمد',
  'דוד',
  'דוד 12 אבי',
  'ทิพย์',
  'राम',
  'ᏣᎳᎩ',
  'O\u02bbahu',
  'Zoë-Marie d’Arc 3.0 ❤',
  '12:30',
  'Әлия',
])('NAMES-4 the name %j can be registered', (name) => {
  expect(findScriptProblem(normalizeName(name))).toBeNull()
})
