import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/project-root.ts'

const page = readFileSync(join(projectRoot, 'docs/bounds.md'), 'utf8')

test('BOUNDS-5 every line of docs/bounds.md names a test that there is', () => {
  const lines = page.split('\n').filter((line) => /^\|.*\.(?:test|suite)\.ts/.test(line))
  expect(lines.length).toBeGreaterThan(25)
  for (const line of lines) {
    const cell = line.split('|').at(-2) ?? ''
    for (const part of cell.split(/(?<=`),\s*(?=[A-Z])/)) {
      const ids = part.match(/[A-Z]+-\d+/g) ?? []
      const files = [...part.matchAll(/`([^`]+\.ts)`/g)].map((match) => match[1] ?? '')
      expect([ids.length > 0, files.length > 0], line).toStrictEqual([true, true])
      const text = files.map((file) => {
        expect(existsSync(join(projectRoot, file)), file).toBe(true)
        return readFileSync(join(projectRoot, file), 'utf8')
      })
      for (const id of ids) expect(text.join(), `${id} in ${files.join()}`).toContain(`'${id} `)
    }
  }
})

test('BOUNDS-5 every table row of docs/bounds.md that bounds something has a test', () => {
  const rows =
    page
      .split('## One address')[0]
      ?.split('\n')
      .filter((line) => /^\| (?!what|-)/.test(line)) ?? []
  for (const row of rows) expect(row).toMatch(/\.(?:test|suite)\.ts`/)
})
