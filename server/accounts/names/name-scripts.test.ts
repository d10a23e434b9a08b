import { expect, test } from 'vitest'
import { normalizeName, findNameProblem } from '../../../contract/names.ts'
import { lookKey, nameKey } from './name-key.ts'
import { scriptProblem } from './name-scripts.ts'

// Drawn in DejaVu Sans Bold, a common font, the two letters of each pair differ in less than a tenth of their ink.
const drawnAlike =
  'đd bƀ KƘ GǤ gǥ ցǥ BɃ ΒɃ ВɃ RɌ Oʘ Θʘ Οʘ Оʘ вʙ нʜ кĸ εɛ qϥ ωѡ ЬҌ PҎ ΡҎ РҎ pҏ рҏ КҜ кҝ КҞ чҹ КԞ кԟ ĸᴋ кᴋ мᴍ иᴎ яᴙ тᴛ гᴦ пᴨ ' +
  'лᴫ PⱣ ΡⱣ РⱣ Иⵍ QꝖ qꝗ PꝐ РꝐ pꝑ рꝑ ÞꝤ þꝥ ÞꝦ þꝧ ЧꞍ gꞡ ցꞡ kꞣ шꟺ ƐꜪ ӇꜦ ͱⱶ'

const isRefused = (name: string) =>
  findNameProblem(normalizeName(name)) !== null || scriptProblem(normalizeName(name)) !== null

const clash = (a: string, b: string) => nameKey(a) === nameKey(b) || lookKey(a) === lookKey(b)

test.each(['нн', 'nn', 'νν', 'ա', ''])(
  'NAMES-4 of two names of the letters %j that differ in letters drawn alike, one is refused or taken',
  (rest) => {
    for (const pair of drawnAlike.split(' ')) {
      const [one = '', other = ''] = [...pair]
      const names = [rest + one + rest, rest + other + rest] as const
      expect(names.some(isRefused) || clash(...names), `${pair} ${names.join(' ')}`).toBe(true)
    }
  },
)

test.each([
  ['Ми\ua7faа', /not written with/],
  ['Макси\u1d0d', /not written with/],
  ['Паве\u1d2b', /not written with/],
  ['\u2d4dван', /scripts/],
  ['\ua78dехов', /scripts/],
  ['\u043aate', /scripts/],
  ['Anna \u0430nna', /scripts/],
  ['\u{10330}', /scripts/], // Gothic
])('NAMES-4 %j may not be registered', (name, problem) => {
  expect(scriptProblem(normalizeName(name))).toMatch(problem)
})

test.each([
  'Максим',
  'Anna Иванова',
  'Łukasz Đorđević',
  'Yɛboah Ɔpɔku',
  '東京タワー and more',
  'X線カメラ',
  '김Tom',
  'Νίκος',
  'محمد',
  'דוד',
  'ทิพย์',
  'राम',
  'ᏣᎳᎩ',
  'O\u02bbahu',
  'Zoë-Marie d’Arc 3.0 ❤',
  '12:30',
  'Әлия',
])('NAMES-4 %j may be registered', (name) => {
  expect(scriptProblem(normalizeName(name))).toBeNull()
})
