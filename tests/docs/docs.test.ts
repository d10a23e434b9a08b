import { expect, test } from 'vitest'
import { findDeadPaths } from '../../scripts/docs/paths.ts'
import { replaceSection } from '../../scripts/docs/sections.ts'

test('DOCS-1 the check reports a path or link in a document that does not exist', () => {
  const text = 'See `server/app.ts`, `server/gone.ts`, [a page](gone.md#part), [here](#here) and [that](https://x.org).'
  const exists = (path: string) => path === 'server/app.ts'
  expect(findDeadPaths({ path: 'docs/a.md', text }, exists)).toStrictEqual(['server/gone.ts', 'docs/gone.md'])
})

const page = 'before\n<!-- generated:limits -->\nold\n<!-- /generated:limits -->\nafter\n'

test('DOCS-3 a generated section is replaced and the rest of the page stays', () => {
  const current = replaceSection(page, 'limits', 'new')
  expect(current).toBe('before\n<!-- generated:limits -->\nnew\n<!-- /generated:limits -->\nafter\n')
  expect(replaceSection(current, 'limits', 'new')).toBe(current)
})

test('DOCS-3 a page without the section, or with two of them, is an error', () => {
  expect(() => replaceSection(page, 'metrics', 'new')).toThrow("section 'metrics'")
  expect(() => replaceSection(page + page, 'limits', 'new')).toThrow("section 'limits'")
})
