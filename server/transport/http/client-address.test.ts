import { expect, test } from 'vitest'
import { collectEvents } from '../../observe/events.suite.ts'
import { createClientAddress } from './client-address.ts'

const from = (remoteAddress: string, forwardedFor?: string, proto?: string) => ({
  socket: { remoteAddress },
  headers: {
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }),
  },
})
const client = createClientAddress(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'], () => undefined)

test.each([
  ['a direct connection', from('203.0.113.7'), '203.0.113.7'],
  ['an untrusted peer', from('203.0.113.7', '1.2.3.4'), '203.0.113.7'],
  ['a trusted proxy', from('127.0.0.1', '203.0.113.7'), '203.0.113.7'],
  ['a trusted proxy with an IPv4-mapped address', from('::ffff:127.0.0.1', '203.0.113.7'), '203.0.113.7'],
  ['a chain of trusted proxies', from('127.0.0.1', '203.0.113.7, 10.1.2.3, 2001:db8::5'), '203.0.113.7'],
  ['an entry that the client has added', from('127.0.0.1', '1.2.3.4, 203.0.113.7'), '203.0.113.7'],
  ['a trusted proxy without the header', from('127.0.0.1'), '127.0.0.1'],
  ['a chain that contains only trusted proxies', from('127.0.0.1', '10.0.0.1, 10.0.0.2'), '10.0.0.1'],
  ['an entry with a port', from('127.0.0.1', '203.0.113.7:5000'), '203.0.113.7'],
  ['an entry in brackets', from('127.0.0.1', '[2001:dead::1]:443'), '2001:dead::1'],
  ['a proxy that cannot name the client', from('127.0.0.1', 'unknown'), 'unknown'],
  ['a client on a Unix socket', from('127.0.0.1', 'unix:'), 'unknown'],
  ['an obfuscated name', from('127.0.0.1', '_hidden, 10.1.1.1'), 'unknown'],
  ['an invalid entry before a trusted proxy', from('127.0.0.1', '203.0.113.7, evil, 10.1.1.1'), 'unknown'],
  ['an empty header', from('127.0.0.1', ''), 'unknown'],
  ['a socket that was reset', { socket: { remoteAddress: undefined }, headers: {} }, 'unknown'],
])(
  'SECURITY-3 the client address is the last untrusted one, the first if all are trusted, or unknown: %s',
  (_name, request, address) => {
    expect(client.addressOf(request)).toBe(address)
  },
)

test('SECURITY-3 only the last entries of a very long header are read', () => {
  const header = Array.from({ length: 10_000 }, () => '10.0.0.1').join(', ')
  expect(client.addressOf(from('127.0.0.1', header))).toBe('10.0.0.1')
})

test('SECURITY-3 an X-Forwarded-For header of an untrusted peer is reported once', () => {
  const { report, of } = collectEvents()
  const warnings = () => of('forwarded-for-ignored').map(({ peer }) => peer)
  const { addressOf } = createClientAddress([], report)
  addressOf(from('127.0.0.1'))
  expect(warnings()).toStrictEqual([])
  for (let i = 0; i < 3; i++) expect(addressOf(from('127.0.0.1', '203.0.113.7'))).toBe('127.0.0.1')
  expect(warnings()).toStrictEqual(['127.0.0.1'])
})

test('SECURITY-5 X-Forwarded-Proto is used only from a trusted proxy', () => {
  expect(client.isSecure(from('127.0.0.1', '203.0.113.7', 'https'))).toBe(true)
  expect(client.isSecure(from('127.0.0.1', '203.0.113.7', 'http'))).toBe(false)
  expect(client.isSecure(from('203.0.113.7', undefined, 'https'))).toBe(false)
  expect(client.isSecure(from('127.0.0.1'))).toBe(false)
})
