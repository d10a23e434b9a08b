import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './spawn-server.ts'

/** Every row of the requirements, by area. */
const rowsOfArea = { NAV: 6, CHAT: 8, USERS: 3, SIGNUP: 5, LOGIN: 6, ID: 1, SEND: 4, RT: 6, API: 5 }
const rows = Object.entries(rowsOfArea).flatMap(([area, count]) =>
  Array.from({ length: count }, (_, index) => `${area}-${index + 1}`),
)

const testName = /\(\s*['"`]((?:[A-Z]+-\d+[ :,]+)+)/g

/** The rows that the tests in this text are named after: `test('NAV-1 NAV-2 …')`. */
function rowsNamed(source: string): string[] {
  return [...source.matchAll(testName)].flatMap(([, ids = '']) => ids.match(/[A-Z]+-\d+/g) ?? [])
}

test('COVERAGE-1 every row of the requirements has a test named after it', () => {
  const files = globSync('{contract,server,web,tests}/**/*.test.{ts,tsx}', { cwd: projectRoot })
  const named = new Set(
    files
      .filter((file) => basename(file) !== basename(import.meta.filename))
      .flatMap((file) => rowsNamed(readFileSync(`${projectRoot}/${file}`, 'utf8'))),
  )
  expect(rows).toHaveLength(44)
  expect(rows.filter((row) => !named.has(row))).toStrictEqual([])
})

test('COVERAGE-1 only the beginning of a test name counts', () => {
  expect(rowsNamed("test('RT-2 RT-3 a message', …)")).toStrictEqual(['RT-2', 'RT-3'])
  expect(rowsNamed('test.each([1])(\n  `NAV-1: %i`, …)')).toStrictEqual(['NAV-1'])
  expect(rowsNamed("test('a message as in RT-2', …) // RT-3 too")).toStrictEqual([])
})
