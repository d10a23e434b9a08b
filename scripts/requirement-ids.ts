import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './steps.ts'

const document = 'docs/requirements.md'
const testFiles = '{contract,server,web,tests,bench}/**/*.{test,suite}.{ts,tsx}'
const guides = '{*.md,docs/*.md,docs/decisions/*.md}'

const id = String.raw`[A-Z][A-Z0-9]*-\d+`
const idsAnywhere = new RegExp(String.raw`\b${id}\b`, 'g')
const row = new RegExp(String.raw`^\| (${id}) \| (.*) \|$`, 'gm')
/** The name of a test: the string that opens a call of `test`, or of what `test.each(…)` and its like return. */
const testName = /(?:\btest(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1).)*)\1\s*,/g
const leadingIds = new RegExp(String.raw`^(?:${id}[ :,]+)+`)

/** The ids that tests in this source are named after, and the names that begin with none. */
export function readTests(source: string): { ids: string[]; unnamed: string[] } {
  const names = [...source.matchAll(testName)].map(([, , name = '']) => name)
  const leading = names.map((name) => leadingIds.exec(name)?.[0] ?? '')
  return {
    ids: leading.flatMap((ids) => ids.match(idsAnywhere) ?? []),
    unnamed: names.filter((_, index) => leading[index] === ''),
  }
}

interface Sources {
  document: string
  tests: Readonly<Record<string, string>>
  guides: Readonly<Record<string, string>>
}

/** What is wrong between the ids that are written down and those that tests and guides name, a line each. */
export function judgeIds({ document: text, tests, guides: pages }: Sources): string[] {
  const rows = [...text.matchAll(row)].map(([, name = '']) => name)
  const known = new Set(rows)
  const areas = new Set(rows.map(areaOf))
  const faults = rows.filter((name, index) => rows.indexOf(name) !== index).map((name) => `${name} is there twice`)
  const tested = new Set<string>()
  for (const [file, source] of Object.entries(tests)) {
    const { ids, unnamed } = readTests(source)
    for (const name of ids) tested.add(name)
    faults.push(...unnamed.map((name) => `${file}: '${name}' begins with no id`))
    faults.push(...new Set(ids.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is not there`)))
  }
  faults.push(...rows.filter((name) => !tested.has(name)).map((name) => `${name} has no test`))
  for (const [file, page] of Object.entries(pages)) {
    // Only areas of ours: a guide may speak of SHA-256.
    const named = (page.match(idsAnywhere) ?? []).filter((name) => areas.has(areaOf(name)))
    faults.push(...new Set(named.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is not there`)))
  }
  return faults
}

const areaOf = (name: string) => name.slice(0, name.lastIndexOf('-'))

/** Every id has one meaning in docs/requirements.md and a test; every test begins with an id. Faults are printed. */
export function checkRequirementIds(): boolean {
  const faults = judgeIds({
    document: readFileSync(join(root, document), 'utf8'),
    tests: readAll(testFiles),
    guides: readAll(guides),
  })
  for (const fault of faults) console.error(`${document}: ${fault}`)
  return faults.length === 0
}

function readAll(pattern: string): Record<string, string> {
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}
