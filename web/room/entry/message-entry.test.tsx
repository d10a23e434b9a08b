import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { maxMessageCharacters } from '../../../contract/limits.ts'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { EntryContent } from './message-entry.tsx'
import { maxBreaks, maxElements } from './text-parts.ts'

function elementCount(message: string): number {
  const buffer = createMessageBuffer()
  buffer.appendMessage({ username: 'ann', message, createdTime: 0 }, false)
  const [entry] = buffer.view().entries
  if (entry === undefined) throw new Error('no entry')
  const html = renderToString(<EntryContent entry={entry} previous={undefined} />)
  return html.match(/<[a-z]/g)?.length ?? 0
}

test.each([
  '\u2028b',
  ' \u00a0b',
  '\nb',
  '\n\nb',
  '\n\u3000b',
  '\n\u3000\nb',
  'http://a ',
  '@ann ',
  'http://a\u2028',
  'http://a\n\u3000@ann\u2028',
  'http://a\n@ann \u00a0b\n\u3000',
])('SHOWN-6 a message that repeats %j has a maximum number of elements', (unit) => {
  const message = unit.repeat(maxMessageCharacters / unit.length)
  // A message of several lines has one element around its text.
  const maximum = elementCount('b') + 1 + maxBreaks + maxElements
  expect(elementCount(message)).toBeLessThanOrEqual(maximum)
})
