import { expect, test } from 'vitest'
import { isLoopback, limitedNetworks, networksOf } from './addresses.ts'

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  'SECURITY-3 %s is loopback',
  (address) => {
    expect(isLoopback(address)).toBe(true)
    expect(limitedNetworks(address)).toBeNull()
  },
)

test.each(['128.0.0.1', '10.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost', '', '127.0.0.1.evil.example'])(
  'SECURITY-3 %j is not loopback',
  (address) => {
    expect(isLoopback(address)).toBe(false)
    expect(limitedNetworks(address)).not.toBeNull()
  },
)

test.each([
  ['203.0.113.7', '203.0.113.7', null, '203.0.113/24'],
  ['::ffff:203.0.113.7', '203.0.113.7', null, '203.0.113/24'],
  ['::ffff:cb00:7107', '203.0.113.7', null, '203.0.113/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1:0xx/56', '2001:db8:1/48'],
  ['2001:db8:1:2::', '2001:db8:1:2', '2001:db8:1:0xx/56', '2001:db8:1/48'],
  ['2001:DB8:1:a102::ffff', '2001:db8:1:a102', '2001:db8:1:a1xx/56', '2001:db8:1/48'],
  ['2001:db8::1', '2001:db8:0:0', '2001:db8:0:0xx/56', '2001:db8:0/48'],
  ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0:0xx/56', 'fe80:0:0/48'],
])('LIMITS-1 %s belongs to the address %s and to its wider networks', (text, address, site, network) => {
  expect(networksOf(text)).toStrictEqual({ address, site, network })
  expect(limitedNetworks(text)).toStrictEqual({ address, site, network })
})

test.each(['', 'unknown', 'unix:', 'localhost', '1.2.3'])(
  'LIMITS-3 %j is not an address and shares the limits of unknown addresses',
  (text) => {
    expect(limitedNetworks(text)).toStrictEqual({ address: 'unknown', site: null, network: null })
  },
)
