import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayedOrder } from './displayed-order.ts'

test.each([
  ['an override', 'a \u202emaps\u202c b', 'a spam b'],
  ['an override without an end', 'a \u202emaps', 'a spam'],
  ['a part of a word', 'sp\u202ema', 'spam'],
  ['an override in an override', '\u202ema\u202dsp\u202c!', '!spam'],
  ['isolates in a right-to-left part', '\u2067am\u2066sp\u2069\u2069', 'spam'],
  ['an override that its line ends', '\u202emaps\nham', 'spam\nham'],
  ['an isolate that ends the override in it', '\u2066\u202emaps\u2069 ham', 'spam ham'],
  ['ends without a start', 'sp\u202ca\u2069m', 'spam'],
])('MODERATION-15 letters are put into the order in which they are shown: %s', (_name, text, shown) => {
  expect(displayedOrder(text)).toStrictEqual({ kind: 'other', text: shown })
})

test('MODERATION-15 a text without embeddings, overrides and isolates keeps its written order', () => {
  expect(displayedOrder('spam \u200fשלום')).toStrictEqual({ kind: 'as written' })
})

test('MODERATION-15 parts that browsers may ignore because of their depth have no known order', () => {
  const nested = (depth: number) => `${'\u202a'.repeat(depth)}\u202emaps`
  expect(displayedOrder(nested(59))).toStrictEqual({ kind: 'other', text: 'spam' })
  expect(displayedOrder(nested(60))).toStrictEqual({ kind: 'nested too deeply' })
})

test('MODERATION-15 every letter of any text is shown once', () => {
  const characters = [
    ...'abc \n',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ]
  const sorted = (text: string) => [...text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')].toSorted()
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 400 }), (parts) => {
      const text = parts.join('')
      const order = displayedOrder(text)
      if (order.kind === 'other') expect(sorted(order.text)).toStrictEqual(sorted(text))
    }),
  )
})
