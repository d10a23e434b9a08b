import { expect, test } from 'vitest'
import { broadcastProblem } from './fuzz/witness.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

const seed = '7'

test('SECURITY-6 generated requests, packets and frames do no harm', { timeout: 180_000 }, async () => {
  const verdict = await runFuzz({ cases: 100_000, seed, maxMs: 20_000 })
  console.log(`fuzzed with seed ${seed}: ${verdict.total} cases, ${verdict.broadcasts} broadcasts`)
  expect(verdict.findings).toStrictEqual([])
  for (const [kind, count] of Object.entries(verdict.cases)) expect(count, kind).toBeGreaterThan(20)
  expect(verdict.broadcasts).toBeGreaterThan(10)
})

const fine = { username: 'bob (not loggedin)', message: 'hi', createdTime: 1 }
test.each([
  ['an account that is none', { ...fine, username: 'bob' }],
  ['a suffix twice', { ...fine, username: 'bob (not loggedin) (not loggedin)' }],
  ['a hidden character', { ...fine, username: 'b\u200bob (not loggedin)' }],
  ['a name too long', { ...fine, username: `${'b'.repeat(65)} (not loggedin)` }],
  ['another field', { ...fine, id: 'x' }],
  ['half a character', { ...fine, message: '\ud800' }],
  ['an empty text', { ...fine, message: ' ' }],
  ['no time', { ...fine, createdTime: -1 }],
])('SECURITY-6 the witness of the fuzzing would notice %s', (_name, message) => {
  expect(broadcastProblem(fine, 'account')).toBeNull()
  expect(broadcastProblem({ ...fine, username: 'account' }, 'account')).toBeNull()
  expect(broadcastProblem(message, 'account')).not.toBeNull()
})
