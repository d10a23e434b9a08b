import { expect, test } from 'vitest'
import { maxFrameBytes, maxMessageCharacters, maxTypedNameUnits } from './limits.ts'

test('WIRE-2 the longest message fits into a frame even if the client escapes every non-ASCII character as \\u', () => {
  const escape = '\\uffff'
  const options = { id: '0'.repeat(36), after: { epoch: '0'.repeat(64), seq: Number.MAX_SAFE_INTEGER } }
  const envelope = JSON.stringify(['send_message', { username: '', message: '', createdTime: 8.64e15 }, options])
  // A code point can take two escapes.
  const longest = envelope.length + escape.length * (maxTypedNameUnits + 2 * maxMessageCharacters)
  expect(longest).toBeLessThan(maxFrameBytes)
})
