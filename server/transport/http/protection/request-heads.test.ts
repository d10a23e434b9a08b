import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { headRejection, maxHeaders, maxQueryParameters, maxUrlCharacters } from './request-heads.ts'

const statusOf = (url: string, rawHeaders = ['Host', 'x'], httpVersion = '1.1') => {
  const rejection = headRejection({ url, rawHeaders, httpVersion } as IncomingMessage)
  return rejection === null ? null : Number(rejection.response.toString('latin1', 9, 12))
}
const query = (parameters: number) => `/?${Array<string>(parameters).fill('a=').join('&')}`
const headers = (count: number) => ['Host', 'x', ...Array<string>((count - 1) * 2).fill('a')]

test.each([
  ['a URL at the limit', statusOf('/'.repeat(maxUrlCharacters)), null],
  ['a URL that is too long', statusOf('/'.repeat(maxUrlCharacters + 1)), 414],
  ['as many parameters as allowed', statusOf(query(maxQueryParameters)), null],
  ['too many parameters', statusOf(query(maxQueryParameters + 1)), 400],
  ['as many headers as allowed', statusOf('/', headers(maxHeaders)), null],
  ['too many headers', statusOf('/', headers(maxHeaders + 1)), 431],
  ['two Host headers', statusOf('/', ['Host', 'x', 'host', 'y']), 400],
  ['HTTP/1.0 without Host', statusOf('/', [], '1.0'), null],
])('SECURITY-5 the head of a request is checked before the URL is parsed: %s', (_name, status, expected) => {
  expect(status).toBe(expected)
})
