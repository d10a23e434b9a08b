import { expect, test } from 'vitest'
import { broadcastProblem } from './fuzz/observer.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

const seed = '7'

test(
  'SECURITY-6 generated requests, packets and frames cause no crash, error or invalid broadcast',
  { timeout: 180_000 },
  async () => {
    const result = await runFuzz({ cases: 2_000, seed })
    expect(result.findings).toStrictEqual([])
    for (const [kind, count] of Object.entries(result.cases)) expect(count, kind).toBeGreaterThan(20)
    expect(result.broadcasts).toBeGreaterThan(10)
  },
)

const valid = { username: 'bob (not loggedin)', message: 'hi', createdTime: 1 }
test.each([
  ['an account name without an account', { ...valid, username: 'bob' }],
  ['a doubled suffix', { ...valid, username: 'bob (not loggedin) (not loggedin)' }],
  ['a hidden character', { ...valid, username: 'b\u200bob (not loggedin)' }],
  ['a name too long', { ...valid, username: `${'b'.repeat(65)} (not loggedin)` }],
  ['another field', { ...valid, id: 'x' }],
  ['a lone surrogate', { ...valid, message: '\ud800' }],
  ['an empty text', { ...valid, message: ' ' }],
  ['no time', { ...valid, createdTime: -1 }],
])('SECURITY-6 the observer of the fuzzing detects %s', (_name, message) => {
  expect(broadcastProblem(valid, 'account')).toBeNull()
  expect(broadcastProblem({ ...valid, username: 'account' }, 'account')).toBeNull()
  expect(broadcastProblem(message, 'account')).not.toBeNull()
})
