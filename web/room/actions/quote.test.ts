import { expect, test } from 'vitest'
import { maxQuoteCharacters, mentionOf, quoteOf } from './quote.ts'

const message = (text: string, username = 'Mia') => ({ username, message: text, createdTime: 0 })

test('WRITING-9 a quote is one line with the name of the sender, as the list shows it', () => {
  expect(quoteOf(message('good\nmorning'))).toBe('> Mia: “good morning”\n')
  expect(quoteOf(message('hello', 'bob (not loggedin)'))).toBe('> bob (not loggedin): “hello”\n')
})

test('WRITING-9 a quote has at most 120 characters', () => {
  const quoted = /“(.*)”/su.exec(quoteOf(message('😀'.repeat(500))))?.[1] ?? ''
  expect([...quoted]).toHaveLength(maxQuoteCharacters)
  expect(quoted.endsWith('😀…')).toBe(true)
  expect(quoteOf(message('x'.repeat(maxQuoteCharacters)))).toBe(`> Mia: “${'x'.repeat(maxQuoteCharacters)}”\n`)
})

test('WRITING-9 a quote of a reply has only the text of the reply', () => {
  expect(quoteOf(message('> bob: “hello”\nhi bob'))).toBe('> Mia: “hi bob”\n')
  expect(quoteOf(message('> bob: “hello”\n\nhi bob'))).toBe('> Mia: “hi bob”\n')
  expect(quoteOf(message('> bob: “hello”\n'))).toBe('> Mia: “> bob: “hello””\n')
})

test('WRITING-9 a quote cannot change the text direction of the reply', () => {
  expect(quoteOf(message('\u202eabc\u2066'))).toBe('> Mia: “abc”\n')
})

test('WRITING-9 a mention is separated from the word before it', () => {
  expect(mentionOf(message('hello'), '')).toBe('@Mia ')
  expect(mentionOf(message('hello'), 'thanks')).toBe(' @Mia ')
  expect(mentionOf(message('hello'), 'thanks\n')).toBe('@Mia ')
})
