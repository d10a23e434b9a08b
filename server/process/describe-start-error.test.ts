import { expect, test } from 'vitest'
import { describeStartError } from './describe-start-error.ts'

test.each([
  ['listen', 'EACCES', /^PORT, HOST: cannot listen on this address \(.*EACCES/],
  ['getaddrinfo', 'ENOTFOUND', /^PORT, HOST: cannot listen on this address \(.*ENOTFOUND/],
  ['unlink', 'EACCES', /^Cannot start: EACCES/],
  ['open', 'EINVAL', /^Cannot start: EINVAL/],
])(
  'START-1 the line of a failed %s (%s) names PORT and HOST only if the server cannot listen',
  (syscall, code, line) => {
    const error = Object.assign(new Error(`${code}: ${syscall} failed`), { syscall, code })
    expect(describeStartError(error)).toMatch(line)
  },
)
