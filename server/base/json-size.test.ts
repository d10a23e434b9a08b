import { expect, test } from 'vitest'
import { isTooComplex, maxJsonDepth, maxJsonValues } from './json-size.ts'

const padding = `"${' '.repeat(600)}"`
const lists = (depth: number) => `${'['.repeat(depth)}${padding}${']'.repeat(depth)}`
const objects = (depth: number) => `${'{"a":'.repeat(depth)}${padding}${'}'.repeat(depth)}`

test.each([
  ['lists at the limit', lists(maxJsonDepth), false],
  ['lists above the limit', lists(maxJsonDepth + 1), true],
  ['objects at the limit', objects(maxJsonDepth), false],
  ['objects above the limit', objects(maxJsonDepth + 1), true],
  ['lists that never end', '['.repeat(10_000), true],
  ['values at the limit', `[${padding}${',0'.repeat(maxJsonValues - 1)}]`, false],
  ['values above the limit', `[${padding}${',0'.repeat(maxJsonValues)}]`, true],
  ['many empty lists', `[${'[],'.repeat(maxJsonValues / 2)}${padding}]`, true],
  ['commas in a string', JSON.stringify([','.repeat(1_000)]), false],
  ['brackets in a string', JSON.stringify(['['.repeat(1_000)]), false],
  ['brackets after an escaped quote', JSON.stringify([`"${'['.repeat(1_000)}`]), false],
  ['brackets after a string that ends with a backslash', `["\\\\",${'['.repeat(1_000)}`, true],
  ['brackets after a string that never ends', `["${'['.repeat(1_000)}`, false],
])('LIMITS-6 the depth and the values of JSON are bounded before it is parsed: %s', (_name, text, expected) => {
  expect(isTooComplex(text)).toBe(expected)
})
