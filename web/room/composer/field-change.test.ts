import { expect, test } from 'vitest'
import { classifyFieldChange, splitEarlySubmits } from './field-change.ts'

const caret = (at: number) => ({ start: at, end: at })

test.each([
  ['extended at its end', 'hi', caret(2), 'hi there', { draft: ' there', isRevision: false }],
  ['extended by the same letter', 'a', caret(1), 'aa', { draft: 'a', isRevision: false }],
  ['replaced completely', 'hi', { start: 0, end: 2 }, 'history', { draft: 'history', isRevision: false }],
  ['cleared', 'hi', { start: 0, end: 2 }, '', { draft: '', isRevision: false }],
  ['cleared by deleting its only word', 'hi', caret(2), '', { draft: '', isRevision: false }],
  ['extended at its start', 'hi', caret(0), 'oh hi', { draft: 'oh ', isRevision: false }],
  ['shortened', 'hi', caret(2), 'h', { draft: 'h', isRevision: true }],
  ['changed in the middle', 'hallo', { start: 1, end: 2 }, 'hello', { draft: 'hello', isRevision: true }],
  ['changed without a known selection', 'hi', null, 'hi there', { draft: 'hi there', isRevision: false }],
])(
  'OUTBOX-2 a submitted text that is %s becomes a new draft or a revision',
  (_change, shown, selected, next, change) => {
    expect(classifyFieldChange(shown, selected, next, true)).toEqual(change)
  },
)

test.each([
  ['extended at its end', 'worl', caret(4), 'world', { draft: 'world', isRevision: true }],
  ['extended at its start', 'ello', caret(0), 'hello', { draft: 'hello', isRevision: true }],
  ['replaced completely', 'hi', { start: 0, end: 2 }, 'history', { draft: 'history', isRevision: false }],
])('OUTBOX-5 a submitted text in which the user placed the caret is revised when it is %s', (...example) => {
  const [, shown, selected, next, change] = example
  expect(classifyFieldChange(shown, selected, next, false)).toEqual(change)
})

test('HYDRATION-2 submits before the script loaded are split by the field text at each submit', () => {
  expect(splitEarlySubmits(['one', 'one', 'onetwo', 'new', 'new text'])).toEqual(['one', '', 'two', 'new', ' text'])
  expect(splitEarlySubmits([''])).toEqual([''])
})
