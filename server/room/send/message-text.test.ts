import { expect, test } from 'vitest'
import { hasForbiddenControl, limitCombiningMarks } from './message-text.ts'

test('SHOWN-2 a letter keeps four combining marks, also with invisible characters between them', () => {
  expect(limitCombiningMarks(`z${'\u0335'.repeat(50)}!`)).toBe(`z${'\u0335'.repeat(4)}!`)
  expect(limitCombiningMarks(`z${'\u0300\u200b\u034f'.repeat(50)}!`)).toBe(`z${'\u0300\u200b\u034f'.repeat(4)}!`)
  expect(limitCombiningMarks('\u20dd'.repeat(9))).toBe('\u20dd'.repeat(4))
})

test.each([
  'Nguyễn Thị Ánh',
  'ကျွန်ုပ် မြွှောင့် ကြွေး',
  'བསྒྲུབས',
  'ที่สุด',
  'בְּרֵאשִׁ֖ית',
  '👩\u200d❤\ufe0f\u200d💋\u200d👨',
  '1\ufe0f\u20e3',
])('SHOWN-2 %j is not changed', (text) => {
  for (const written of [text, text.normalize('NFD')]) expect(limitCombiningMarks(written)).toBe(written)
})

test('SHOWN-2 control characters are forbidden, except tab and line breaks', () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    /\p{Cc}/u.test(character),
  )
  expect(controls.filter((character) => !hasForbiddenControl(`a${character}b`))).toStrictEqual([
    '\t',
    '\n',
    '\r',
    '\u0085',
  ])
  expect(hasForbiddenControl('plain text, 日本語 and 😀')).toBe(false)
})
