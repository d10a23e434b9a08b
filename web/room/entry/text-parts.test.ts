import { expect, test } from 'vitest'
import { maxBreaks, maxElements, textParts } from './text-parts.ts'

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
  ['interlinear annotation characters', '\ufff9\ufffa\ufffb'],
  ['spaces with annotation characters between', '\u3000\ufff9'],
  ['spaces with object replacement characters between', '\u2003\ufffc'],
  ['spaces with hieroglyph joiners between', '\u3000\u{13430}'],
])('SHOWN-4 a run of %s becomes one blank', (_name, run) => {
  const parts = textParts(`well${run.repeat(200)} [1/2/2026, 3:04:05 AM] bob : I agree`)
  expect(parts.map(({ kind }) => kind)).toEqual(['text', 'blank', 'text'])
  expect(parts[2]?.text).toBe('[1/2/2026, 3:04:05 AM] bob : I agree')
})

test.each(['\u2028', '\u2029', '\u0085', '\v', '\f'])('SHOWN-4 the line break %j becomes a blank', (lineBreak) => {
  expect(kinds(`a${lineBreak}b`)).toEqual(['text', 'blank', 'text'])
})

test.each(['a b', 'a  b', '日本　語', '10\u00a0km', '👍\ufe0f ok', 'a\u200db', 'نامه\u200cها'])(
  'SHOWN-4 %j stays plain text',
  (message) => {
    expect(textParts(message)).toEqual([{ kind: 'text', text: message }])
  },
)

test('SHOWN-4 a run of whitespace between two links becomes one blank', () => {
  expect(kinds('http://a.example\u3000\u3000http://b.example')).toEqual(['link', 'blank', 'link'])
})

test.each([
  ['one line break', 'a\nb', false],
  ['a CRLF', 'a\r\nb', false],
  ['a line break between blanks', 'a \u3000\n\tb', false],
  ['two line breaks', 'a\n\nb', true],
  ['many line breaks and blanks', `a${' \n\u3000\u2028'.repeat(200)}b`, true],
])(
  'SHOWN-4 %s between two words is displayed as one break with at most one empty line',
  (_name, message, isEmptyLine) => {
    const text = message.slice(1, -1)
    expect(textParts(message)).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'break', text, isEmptyLine },
      { kind: 'text', text: 'b' },
    ])
  },
)

test('SHOWN-4 line breaks at the start and the end of a message are not displayed', () => {
  expect(kinds('\n\na\n\n')).toEqual(['text'])
  expect(kinds('\n\u3000a\u3000\n')).toEqual(['blank', 'text', 'blank'])
  expect(kinds('http://a.example\nhttp://b.example\n')).toEqual(['link', 'break', 'link', 'text'])
})

test('SHOWN-4 a message has a maximum number of displayed line breaks, also around links', () => {
  const parts = textParts('a\nhttp://b.example\n'.repeat(maxBreaks))
  expect(parts.filter(({ kind }) => kind === 'break')).toHaveLength(maxBreaks)
  expect(parts.map(({ text }) => text).join('')).toBe('a\nhttp://b.example\n'.repeat(maxBreaks))
})

test('SHOWN-4 an empty line counts as two line breaks', () => {
  const parts = textParts('a\n\n'.repeat(maxBreaks))
  expect(parts.filter(({ kind }) => kind === 'break')).toHaveLength(maxBreaks / 2)
})

test('SHOWN-4 links and blanks beyond the maximum are text without wide blanks', () => {
  const count = maxElements + 50
  const blanks = textParts('\u2028b \u3000c'.repeat(count))
  expect(blanks.filter(({ kind }) => kind === 'blank')).toHaveLength(maxElements)
  expect(blanks.at(-1)?.text.endsWith(' b c b c')).toBe(true)
  const mixed = textParts('http://a.example\u3000\n\u2028b\u3000\u3000'.repeat(count))
  const plain = mixed.filter(({ kind }) => kind === 'text').map(({ text }) => text)
  expect(plain.join('')).not.toMatch(/[\u2028\u3000]/)
  expect(plain.join('')).toContain('http://a.example')
  expect(mixed.filter(({ kind }) => kind === 'break')).toHaveLength(maxBreaks)
})

test('SHOWN-4 a URL with blanks is not a link, so that its blanks collapse', () => {
  expect(kinds(`http://a.example/${'\u{1d159}'.repeat(200)}[1/2/2026,`)).toEqual(['text', 'blank', 'text'])
})
