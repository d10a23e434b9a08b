import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/project-root.ts'

const path = /`((?:contract|server|web|scripts|tests|docs)\/[a-z0-9./-]+)`/g

/** Tests are named without their ending. */
const isThere = (file: string) => ['', '.test.ts'].some((ending) => existsSync(join(projectRoot, file + ending)))

test('DOCS-1 every path in the guides leads somewhere', () => {
  for (const guide of ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md']) {
    const named = [...readFileSync(join(projectRoot, guide), 'utf8').matchAll(path)].map(([, file = '']) => file)
    expect(named.length, guide).toBeGreaterThan(3)
    const astray = named.filter((file) => !isThere(file))
    expect(astray, guide).toStrictEqual([])
  }
})
