import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.ts'

const document = 'docs/requirements.md'
const testFiles = '{contract,server,web,tests,bench}/**/*.{test,suite}.{ts,tsx}'
const guides = '{*.md,docs/*.md,docs/decisions/*.md}'

const id = String.raw`[A-Z][A-Z0-9]*-\d+`
const idsAnywhere = new RegExp(String.raw`\b${id}\b`, 'g')
const row = new RegExp(String.raw`^\| (${id}) \| (.*) \|$`, 'gm')
/** Matches the title of a test: the first argument of `test(…)`, `test.each(…)(…)` and similar calls. */
const testName = /(?:\btest(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1).)*)\1\s*,/g
const leadingIds = new RegExp(String.raw`^(?:${id}[ :,]+)+`)

/** Returns the ids at the start of the test titles in a source, and the titles without an id. */
export function readTests(source: string): { ids: string[]; withoutId: string[] } {
  const names = [...source.matchAll(testName)].map(([, , name = '']) => name)
  const leading = names.map((name) => leadingIds.exec(name)?.[0] ?? '')
  return {
    ids: leading.flatMap((ids) => ids.match(idsAnywhere) ?? []),
    withoutId: names.filter((_, index) => leading[index] === ''),
  }
}

interface Sources {
  document: string
  tests: Readonly<Record<string, string>>
  guides: Readonly<Record<string, string>>
}

/** Compares the ids of the document with the ids in tests and guides. Returns one line per problem. */
export function findIdProblems({ document: text, tests, guides: pages }: Sources): string[] {
  const rows = [...text.matchAll(row)].map(([, name = '']) => name)
  const known = new Set(rows)
  const areas = new Set(rows.map(areaOf))
  const problems = rows.filter((name, index) => rows.indexOf(name) !== index).map((name) => `${name} is defined twice`)
  const tested = new Set<string>()
  for (const [file, source] of Object.entries(tests)) {
    const { ids, withoutId } = readTests(source)
    for (const name of ids) tested.add(name)
    problems.push(...withoutId.map((name) => `${file}: '${name}' starts with no id`))
    problems.push(...new Set(ids.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is not defined`)))
  }
  problems.push(...rows.filter((name) => !tested.has(name)).map((name) => `${name} has no test`))
  for (const [file, page] of Object.entries(pages)) {
    // Ignore other areas: a guide may mention SHA-256.
    const named = (page.match(idsAnywhere) ?? []).filter((name) => areas.has(areaOf(name)))
    problems.push(...new Set(named.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is not defined`)))
  }
  return problems
}

const areaOf = (name: string) => name.slice(0, name.lastIndexOf('-'))

/**
 * Checks that every id has one definition and a test, that every test title starts with an id, and that guides name
 * only defined ids. Prints the problems.
 */
export function checkRequirementIds(): boolean {
  const problems = findIdProblems({
    document: readFileSync(join(root, document), 'utf8'),
    tests: readAll(testFiles),
    guides: readAll(guides),
  })
  for (const problem of problems) console.error(`${document}: ${problem}`)
  return problems.length === 0
}

function readAll(pattern: string): Record<string, string> {
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}
