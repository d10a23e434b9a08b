import { expect, test } from 'vitest'
import { findIdProblems, readTests } from '../../scripts/check/requirement-ids.ts'

const page = (...ids: string[]) => ids.map((id) => `| ${id} | A meaning. |`).join('\n')
/**
 * Returns a test call. Joins the parts at run time, because the id check would count a literal test call as a test of this
 * file.
 */
const call = (name: string, how = 'test') => `${how}(${name}, () => {})`
const room1 = call("'ROOM-1 is kept'")
const none = { document: page('ROOM-1'), tests: { 'a.test.ts': room1 }, guides: {} }

test('DOCS-2 only ids at the beginning of a test title count, in every form of test call', () => {
  const source = [
    call("'ROOM-1 ROOM-2 two'"),
    call('\n  `A11Y-3: %i`', 'test.each([1])'),
    call('"ROOM-4 it\'s"', "test.skipIf(!isThere).each([['x']])"),
    call("'as in ROOM-5'"),
    '// ROOM-6',
  ]
  expect(readTests(source.join('\n'))).toStrictEqual({
    ids: ['ROOM-1', 'ROOM-2', 'A11Y-3', 'ROOM-4'],
    withoutId: ['as in ROOM-5'],
  })
})

test('DOCS-2 the check reports an id without a test, a test without an id, and an id that is not documented', () => {
  expect(findIdProblems(none)).toStrictEqual([])
  expect(findIdProblems({ ...none, document: page('ROOM-1', 'ROOM-2') })).toStrictEqual(['ROOM-2 has no test'])
  expect(findIdProblems({ ...none, document: page('ROOM-1', 'ROOM-1') })).toStrictEqual(['ROOM-1 is defined twice'])
  const others = [call("'ROOM-9 x'"), call("'ROOM-9 y'"), call("'z'")].join('\n')
  expect(findIdProblems({ ...none, tests: { ...none.tests, 'b.test.ts': others } })).toStrictEqual([
    "b.test.ts: 'z' starts with no id",
    'b.test.ts: ROOM-9 is not defined',
  ])
})

test('DOCS-2 the check reports an id in a guide that does not exist', () => {
  const guides = { 'SECURITY.md': 'ROOM-1 and ROOM-3, hashed by SHA-256.' }
  expect(findIdProblems({ ...none, guides })).toStrictEqual(['SECURITY.md: ROOM-3 is not defined'])
})
