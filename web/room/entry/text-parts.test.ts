import { expect, test } from 'vitest'
import { textParts } from './text-parts.ts'

const kinds = (message: string) => textParts(message).map(({ kind }) => kind)

test.each([
  ['ideographic spaces', '\u3000'],
  ['em spaces', '\u2003'],
  ['no-break spaces', '\u00a0'],
  ['Hangul fillers', '\u3164'],
  ['half-width Hangul fillers', '\uffa0'],
  ['jamo fillers', '\u115f\u1160'],
  ['empty Braille patterns', '\u2800'],
  ['spaces with zero-width ones between', ' \u200b'],
  ['no-break spaces with joiners between', '\u00a0\u2060\u200d'],
  ['a mixture', ' \u3000\u00a0\t\u2800'],
  ['null note heads', '\u{1d159}'],
])('SHOWN-4 a run of %s becomes one blank', (_name, run) => {
  const parts = textParts(`well${run.repeat(200)} [1/2/2026, 3:04:05 AM] bob : I agree`)
  expect(parts.map(({ kind }) => kind)).toEqual(['text', 'blank', 'text'])
  expect(parts[2]?.text).toBe('[1/2/2026, 3:04:05 AM] bob : I agree')
})

test.each(['\u2028', '\u2029', '\u0085', '\v', '\f'])('SHOWN-4 the line break %j becomes a blank', (lineBreak) => {
  expect(kinds(`a${lineBreak}b`)).toEqual(['text', 'blank', 'text'])
})

test.each(['a b', 'a  b', 'a\n\nb', '日本　語', '10\u00a0km', '👍\ufe0f ok', 'a\u200db', 'نامه\u200cها'])(
  'SHOWN-4 %j stays plain text',
  (message) => {
    expect(textParts(message)).toEqual([{ kind: 'text', text: message }])
  },
)

test('SHOWN-4 a run of whitespace between two links becomes one blank', () => {
  expect(kinds('http://a.example\u3000\u3000http://b.example')).toEqual(['link', 'blank', 'link'])
})
