import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findLinks } from './links.ts'
import { textParts } from './text-parts.ts'

const links = (message: string) => findLinks(message).map(({ href }) => href)

test.each([
  ['see https://example.org/a?b=c#d now', ['https://example.org/a?b=c#d']],
  ['HTTP://EXAMPLE.ORG', ['http://example.org/']],
  ['(https://example.org/wiki/Room_(chat)).', ['https://example.org/wiki/Room_(chat)']],
  ['“https://example.org”, he said', ['https://example.org/']],
  ['two: http://a.example http://b.example!', ['http://a.example/', 'http://b.example/']],
  ['http://localhost:3001/x', ['http://localhost:3001/x']],
  ['http://example.org:80 https://example.org:443/', ['http://example.org/', 'https://example.org/']],
  ['http://192.168.0.7/ http://[::1]:3001/', ['http://192.168.0.7/', 'http://[::1]:3001/']],
  ['https://de.wikipedia.org/wiki/Ä', ['https://de.wikipedia.org/wiki/%C3%84']],
  ['https://xn--mnchen-3ya.example/', ['https://xn--mnchen-3ya.example/']],
  ['https://example.org/a@b?c=d@e', ['https://example.org/a@b?c=d@e']],
])('READING-1 URLs become links: %j', (message, expected) => {
  expect(links(message)).toEqual(expected)
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.org',
  'file:///etc/passwd',
  'https://',
  'xhttp://a.b',
])('READING-1 %j is not a link', (message) => {
  expect(links(message)).toEqual([])
})

test.each([
  ['a right-to-left override before it', 'see \u202ehttp://gro.elpmaxe.live/'],
  ['an isolate somewhere before it', '\u2067abc http://example.org/\u2069'],
  ['a user name that looks like a host', 'http://bank.com@evil.example/'],
  ['a user name and a password', 'https://bank.com:443@evil.example/'],
  ['a division slash', 'http://bank.com\u2215login.evil.example/'],
  ['a fraction slash', 'http://bank.com\u2044login.evil.example/'],
  ['a full-width slash', 'http://bank.com\uff0flogin.evil.example/'],
  ['a full-width dot', 'http://bank\uff0ecom/'],
  ['letters of two scripts', 'http://b\u0430nk.com/'],
  ['a script that looks like Latin', 'https://\u0430\u0440\u0440\u04cf\u0435.com/'],
  ['a number as host', 'http://0x7f000001/'],
  ['an escaped host', 'http://bank%2ecom/'],
  ['a soft hyphen in its host', 'https://github.co\u00adm/login'],
  ['a zero-width space in its path', 'http://a.example\u200b/b'],
  ['a host longer than any valid one', `http://${'a.'.repeat(200)}example/`],
])('SHOWN-3 a URL with %s is not a link', (_name, message) => {
  expect(links(message)).toEqual([])
})

test('SHOWN-3 a link ends before a backslash', () => {
  expect(findLinks('http://bank.com\\@evil.example')).toEqual([
    { start: 0, text: 'http://bank.com', href: 'http://bank.com/' },
  ])
})

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'http://',
    'https://a.example',
    ' ',
    '(',
    ')',
    '.',
    'javascript:',
    '//',
    '@',
    ':',
    '\\',
    '\u3000',
    '\u200b',
    '\u2028',
    '\u202e',
    '\u2215',
    'b\u0430nk.com',
    '/',
    '?',
    '#',
    '[',
    ']',
    '\u3164',
    '\u2800',
  ),
)
const text = fc.array(piece).map((pieces) => pieces.join(''))

test('READING-1 the joined texts of the parts equal the message', () => {
  fc.assert(
    fc.property(text, (message) => {
      const parts = textParts(message)
      expect(parts.map((part) => part.text).join('')).toBe(message)
    }),
    { numRuns: 2_000 },
  )
})

test('SHOWN-3 every link leads to the host in its text, over http or https', () => {
  fc.assert(
    fc.property(text, (message) => {
      for (const link of findLinks(message)) {
        const { protocol, hostname, username, password } = new URL(link.href)
        expect(['http:', 'https:']).toContain(protocol)
        expect(username + password).toBe('')
        expect(link.text.toLowerCase().startsWith(`${protocol}//${hostname}`)).toBe(true)
        expect(link.text).not.toMatch(/[\p{Cf}\s\\]/u)
      }
    }),
    { numRuns: 5_000 },
  )
})
