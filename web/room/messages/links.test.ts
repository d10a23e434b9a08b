import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textParts } from './links.ts'

const links = (message: string) => textParts(message).flatMap((part) => (part.kind === 'link' ? [part.href] : []))

test.each([
  ['see https://example.org/a?b=c#d now', ['https://example.org/a?b=c#d']],
  ['HTTP://EXAMPLE.ORG', ['http://example.org/']],
  ['(https://example.org/wiki/Room_(chat)).', ['https://example.org/wiki/Room_(chat)']],
  ['“https://example.org”, he said', ['https://example.org/']],
  ['two: http://a.example http://b.example!', ['http://a.example/', 'http://b.example/']],
])('READING-1 addresses become links: %j', (message, expected) => {
  expect(links(message)).toEqual(expected)
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.org',
  'file:///etc/passwd',
  'https://',
  'xhttp://a.b',
])('READING-1 no link is made of %j', (message) => {
  expect(links(message)).toEqual([])
})

test('READING-1 joined again, the parts are the message, and no link is anything but http or https', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('http://', 'https://a.example', ' ', '(', ')', '.', 'javascript:', '//', '@', ':', '\\'),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const message = pieces.join('')
      const parts = textParts(message)
      expect(parts.map(({ text }) => text).join('')).toBe(message)
      for (const part of parts) if (part.kind === 'link') expect(part.href).toMatch(/^https?:\/\//)
    }),
    { numRuns: 2_000 },
  )
})
