import { expect, test } from 'vitest'
import { parseToken } from './login-data.ts'

test('USERS-2 the token is read from the stored JSON', () => {
  expect(parseToken('{"_id":"1","token":"abc"}')).toBe('abc')
})

test.each([null, '', 'token', '{', 'null', '"abc"', '[]', '{}', '{"token":1}', '{"token":""}', '{"token":null}'])(
  'USERS-2 the stored value %j contains no token',
  (stored) => {
    expect(parseToken(stored)).toBeNull()
  },
)
