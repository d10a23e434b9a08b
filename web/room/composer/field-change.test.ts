import { expect, test } from 'vitest'
import { changeOnTop, splitPresses } from './field-change.ts'

const caret = (at: number) => ({ start: at, end: at })

test.each([
  ['typed behind it', 'hi', caret(2), 'hi there', { draft: ' there', reworked: false }],
  ['typed behind it, the same letter', 'a', caret(1), 'aa', { draft: 'a', reworked: false }],
  ['written over all of it', 'hi', { start: 0, end: 2 }, 'history', { draft: 'history', reworked: false }],
  ['cleared', 'hi', { start: 0, end: 2 }, '', { draft: '', reworked: false }],
  ['typed before it', 'hi', caret(0), 'oh hi', { draft: 'oh ', reworked: false }],
  ['shortened', 'hi', caret(2), 'h', { draft: 'h', reworked: true }],
  ['changed inside', 'hallo', { start: 1, end: 2 }, 'hello', { draft: 'hello', reworked: true }],
  ['changed unseen', 'hi', null, 'hi there', { draft: 'hi there', reworked: false }],
])('OUTBOX-2 a text that was pressed and is %s', (_how, shown, selected, next, change) => {
  expect(changeOnTop(shown, selected, next)).toEqual(change)
})

test('HYDRATION-2 presses from before the script came are told apart by what the field held at each', () => {
  expect(splitPresses(['one', 'one', 'onetwo', 'new', 'new text'])).toEqual(['one', '', 'two', 'new', ' text'])
  expect(splitPresses([''])).toEqual([''])
})
