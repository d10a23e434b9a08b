import type { Status, TestResult } from './test-reports.ts'

export interface Suite {
  name: string
  seconds: number
  tests: TestResult[]
}

type Counts = Record<Status, number>

const slowestShown = 10

export function countTests(tests: readonly TestResult[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status } of tests) counts[status] += 1
  return counts
}

/**
 * Returns the name of a suite with the counts of its tests. For a suite without tests, such as the build, returns only
 * the name.
 */
export function describe(name: string, tests: readonly TestResult[]): string {
  return tests.length === 0 ? name : `${name}: ${formatCounts(countTests(tests))}`
}

/** Returns `N passed, N failed`, and the number of skipped tests if there are any. */
function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** Returns the lines at the end of a run: time per suite, the slowest tests, every failure, and the counts last. */
export function summarize(suites: readonly Suite[]): string[] {
  const tests = suites.flatMap((suite) => suite.tests)
  const slowest = tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown)
  return [
    'Suites:',
    ...suites.flatMap((suite) => [timed(suite.seconds, describe(suite.name, suite.tests)), ...linesOfFolders(suite)]),
    'Slowest tests:',
    ...slowest.map(({ seconds, file, title }) => timed(seconds, `${file}: ${title}`)),
    ...tests
      .filter(({ status }) => status === 'failed')
      .map(({ file, title, error = '' }) => `failed: ${file}: ${title}: ${error}`),
    formatCounts(countTests(tests)),
  ]
}

/** Returns one line per folder of a suite with several folders, with the sum of the times of its tests. */
function linesOfFolders({ tests }: Suite): string[] {
  const folders = Map.groupBy(tests, ({ file }) => folderOf(file))
  if (folders.size < 2) return []
  return [...folders].map(([folder, own]) => {
    const seconds = own.reduce((sum, test) => sum + test.seconds, 0)
    return `           ${describe(folder, own)}, tests of ${Math.round(seconds)} s`
  })
}

/** Returns `tests/NAME` for a test of that folder, otherwise the first part of the path. */
function folderOf(file: string): string {
  const parts = file.split('/')
  return parts.slice(0, parts[0] === 'tests' ? 2 : 1).join('/')
}

/**
 * Returns the content of the report for programs: suites with time and counts, and every test. `seconds` is the time of
 * the whole run, by default the sum of the times of the suites. It is less than the sum when suites run at the same
 * time.
 */
export function toReport(suites: readonly Suite[], seconds = sumOf(suites)) {
  const tests = suites.flatMap((suite) => suite.tests.map((test) => ({ suite: suite.name, ...test })))
  return {
    ...countTests(tests),
    seconds,
    suites: suites.map(({ name, seconds, tests: own }) => ({ name, seconds, ...countTests(own) })),
    tests,
  }
}

function sumOf(suites: readonly Suite[]): number {
  return Math.round(suites.reduce((sum, { seconds }) => sum + seconds, 0) * 1_000) / 1_000
}

function timed(seconds: number, text: string): string {
  return `${seconds.toFixed(1).padStart(7)} s  ${text}`
}
