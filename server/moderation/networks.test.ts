import { expect, test } from 'vitest'
import { parseNetwork, shortNetwork } from './networks.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  [' 192.0.2.7/32 ', '192.0.2.7'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['2001:db8:1:2::5', '2001:db8:1:2'],
  ['2001:db8:1:2:3::/80', '2001:db8:1:2'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:a00:0/120', '10.0.0.0/24'],
  ['::ffff:10.1.2.3/128', '10.1.2.3'],
  ['::ffff:10.0.0.0/103', null],
  ['::ffff:10.0.0.0/96', null],
  ['::ffff:10.0.0.0/64', null],
  ['::ffff:10.0.0.0/16', null],
  ['::/16', null],
  ['::/63', null],
  ['0:0:0:1::/63', null],
  ['0:0:0:2::/63', '0:0:0:2::/63'],
  ['0.0.0.0/0', null],
  ['10.0.0.0/7', null],
  ['::/0', null],
  ['192.0.2.7/33', null],
  ['192.0.2.7/', null],
  ['192.0.2.7/2/4', null],
  ['fe80::1%eth0', null],
  ['example.org', null],
  ['', null],
])('MODERATION-18 the network %j is read as %s', (text, expected) => expect(parseNetwork(text)).toBe(expected))

test('MODERATION-14 moderators see networks in short form', () => {
  expect(shortNetwork('192.0.2.7')).toBe('192.0.…')
  expect(shortNetwork('2001:db8:1:2')).toBe('2001:db8:…')
  expect(shortNetwork('192.0.2.0/24')).toBe('192.0.…')
})
