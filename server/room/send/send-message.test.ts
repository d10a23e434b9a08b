import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { maxMessageCharacters, maxNameCharacters, maxTypedNameUnits } from '../../../contract/limits.ts'
import { maxSentBytes } from '../../limits/send-rate.ts'
import { entryToStore } from './send-message.ts'

/** Returns the number of bytes that the rate limit charges for a message. */
function chargedBytes(username: string, accountName: string | null = null): number {
  const takeSendToken = vi.fn<(messageBytes: number) => void>()
  entryToStore({ username, message: 'hi', createdTime: 1 }, undefined, accountName, takeSendToken)
  return takeSendToken.mock.calls[0]?.[0] ?? 0
}

test('LIMITS-4 an anonymous name is charged with all the bytes that were typed, also those that are removed from it', () => {
  const short = chargedBytes('a')
  expect(chargedBytes('a'.repeat(maxNameCharacters))).toBe(short + maxNameCharacters - 1)
  expect(chargedBytes(`a${'\u200b'.repeat(maxTypedNameUnits - 1)}`)).toBe(short + (maxTypedNameUnits - 1) * 3)
})

test('LIMITS-4 an account is charged with the bytes of its name, not of the username that it sent', () => {
  expect(chargedBytes('x'.repeat(1_000), 'bob')).toBe(chargedBytes('x', 'bob'))
  expect(chargedBytes('x', 'b'.repeat(maxNameCharacters))).toBe(chargedBytes('x', 'b') + maxNameCharacters - 1)
})

test('LIMITS-4 the largest charge of a message is the smallest burst of the rate limit', () => {
  const takeSendToken = vi.fn<(messageBytes: number) => void>()
  const [username, message] = [maxTypedNameUnits, maxMessageCharacters].map((units) => '\ud800'.repeat(units))
  expect(() => entryToStore({ username, message, createdTime: 1 }, undefined, null, takeSendToken)).toThrow()
  expect(takeSendToken).toHaveBeenCalledWith(maxSentBytes)
})

test.each([
  ['as it was typed', 'a'.repeat(maxTypedNameUnits + 1), 0],
  ['after normalization', '\ufdfa'.repeat(maxTypedNameUnits), 1],
])('LIMITS-4 a name that is far too long %s is rejected', (_when, username, charges) => {
  const takeSendToken = vi.fn<(messageBytes: number) => void>()
  const send = () => entryToStore({ username, message: 'hi', createdTime: 1 }, undefined, null, takeSendToken)
  expect(send).toThrow(expect.objectContaining({ code: 'too_long' }))
  expect(takeSendToken).toHaveBeenCalledTimes(charges)
})

test('WRITING-8 CRLF and CR in a message are stored as LF', () => {
  const typed = 'a\nb\r\nc\rd\r\n\r\ne'
  const { message } = entryToStore({ username: 'bob', message: typed, createdTime: 1 }, undefined, null, () => {})
  expect(message.message).toBe('a\nb\nc\nd\n\ne')
})

test('BOUNDS-1 the position of the first attempt is kept without further fields', () => {
  const id = randomUUID()
  const after = { epoch: 'e', seq: 3, term: 't', removals: 2 }
  const options = { id, after: { ...after, more: ['x'.repeat(1_000)] } }
  const entry = entryToStore({ username: 'a', message: 'hi', createdTime: 1 }, options, null, () => undefined)
  expect(entry).toMatchObject({ id })
  expect(entry.after).toStrictEqual(after)
})
