import { expect, test } from 'vitest'
import {
  maxStoredNameCharacters,
  maxFrameBytes,
  maxMessageCharacters,
  maxNameCharacters,
  maxTypedNameUnits,
} from './limits.ts'

test('WIRE-2 the longest message fits into a frame, also of a client that writes everything beyond ASCII as \\u escapes', () => {
  const escape = '\\uffff'
  const options = { id: '0'.repeat(36), after: { epoch: '0'.repeat(64), seq: Number.MAX_SAFE_INTEGER } }
  const besides = JSON.stringify(['send_message', { username: '', message: '', createdTime: 8.64e15 }, options])
  // A code point may be two escapes.
  const longest = besides.length + escape.length * (maxTypedNameUnits + 2 * maxMessageCharacters)
  expect(longest).toBeLessThan(maxFrameBytes)
})

test('NAMES-3 a name that may be registered is never longer than one that may log in', () => {
  expect(maxNameCharacters).toBeLessThanOrEqual(maxStoredNameCharacters)
})
