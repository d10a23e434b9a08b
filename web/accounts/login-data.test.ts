import { expect, test } from 'vitest'
import { parseToken } from './login-data.ts'

test('USERS-2 login data is JSON with a token', () => {
  expect(parseToken('{"_id":"1","token":"abc"}')).toBe('abc')
})

test.each([null, '', 'token', '{', 'null', '"abc"', '[]', '{}', '{"token":1}', '{"token":""}', '{"token":null}'])(
  'USERS-2 no login data: %j',
  (stored) => {
    expect(parseToken(stored)).toBeNull()
  },
)
