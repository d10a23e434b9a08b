import { expect, test } from 'vitest'
import { addressKey, isLoopback, limitKey } from './addresses.ts'

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  'SECURITY-3 %s is loopback',
  (address) => {
    expect(isLoopback(address)).toBe(true)
    expect(limitKey(address)).toBeNull()
  },
)

test.each(['128.0.0.1', '10.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost', '', '127.0.0.1.evil.example'])(
  'SECURITY-3 %j is not loopback',
  (address) => {
    expect(isLoopback(address)).toBe(false)
  },
)

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:DB8:1:2::ffff', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('SECURITY-3 %s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
  expect(limitKey(address)).toBe(key)
})
