import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import playwrightConfig from '../../playwright.config.ts'
import { readPlaywrightReport, readVitestReport, type TestResult } from '../../scripts/test/test-reports.ts'
import { summarize, toReport } from '../../scripts/test/test-summary.ts'
import vitestConfig from '../../vitest.config.ts'
import { projectRoot } from '../support/project-root.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function reportOf(content: object): string {
  const file = join(temporaryFolder(), 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

const passed: TestResult = { file: 'a.test.ts', title: 'ROOM-1 passes', status: 'passed', seconds: 1.5 }
const failed: TestResult = {
  file: 'b.test.ts',
  title: 'ROOM-2 fails',
  status: 'failed',
  seconds: 0.25,
  error: 'Why\nat line 1',
}
const skipped: TestResult = { file: 'b.test.ts', title: 'ROOM-3 is skipped', status: 'skipped', seconds: 0 }

test('TESTS-1 a Vitest report yields file, title, status and time of every test and of a file that failed', () => {
  const name = (file: string) => join(projectRoot, file)
  const file = reportOf({
    testResults: [
      {
        name: name('a.test.ts'),
        status: 'passed',
        message: '',
        assertionResults: [{ fullName: 'ROOM-1 passes', status: 'passed', duration: 1_500.4, failureMessages: [] }],
      },
      {
        name: name('b.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'ROOM-2 fails', status: 'failed', duration: 250, failureMessages: ['Why\nat line 1'] },
          { fullName: 'ROOM-3 is skipped', status: 'pending', failureMessages: [] },
        ],
      },
      { name: name('c.test.ts'), status: 'failed', message: 'No such module\nsecond line', assertionResults: [] },
    ],
  })
  expect(readVitestReport(file)).toStrictEqual([
    passed,
    failed,
    skipped,
    {
      file: 'c.test.ts',
      title: '(outside of the tests)',
      status: 'failed',
      seconds: 0,
      error: 'No such module\nsecond line',
    },
  ])
})

test('TESTS-1 a Playwright report yields every test, and a test that passed at the second attempt has failed', () => {
  const spec = (title: string, status: string, results: object[]) => ({ title, tests: [{ status, results }] })
  const file = reportOf({
    errors: [{ message: 'No such file' }],
    suites: [
      {
        title: 'a.test.ts',
        file: 'a.test.ts',
        specs: [spec('ROOM-1 passes', 'expected', [{ duration: 1_500 }])],
        suites: [
          {
            title: 'group',
            file: 'a.test.ts',
            specs: [
              spec('ROOM-2 is flaky', 'flaky', [
                { duration: 100, error: { message: 'Why\nat line 1' } },
                { duration: 150 },
              ]),
              spec('ROOM-3 is skipped', 'skipped', []),
            ],
          },
        ],
      },
    ],
  })
  expect(readPlaywrightReport(file)).toStrictEqual([
    { ...passed, file: 'tests/e2e/a.test.ts' },
    { ...failed, file: 'tests/e2e/a.test.ts', title: 'group ROOM-2 is flaky' },
    { ...skipped, file: 'tests/e2e/a.test.ts', title: 'group ROOM-3 is skipped' },
    { file: 'tests/e2e', title: '(outside of the tests)', status: 'failed', seconds: 0, error: 'No such file' },
  ])
})

test('TESTS-1 a run prints the time of every suite, its ten slowest tests, each failure, and the counts last', () => {
  const many = Array.from({ length: 12 }, (_, index) => ({ ...passed, title: `ROOM-1 ${index}`, seconds: index }))
  const suites = [
    { name: 'build', seconds: 2, tests: [] },
    { name: 'unit', seconds: 66, tests: many },
    { name: 'browser', seconds: 3, tests: [failed, skipped] },
  ]
  const lines = summarize(suites)
  expect(lines.slice(0, 6)).toStrictEqual([
    'Suites:',
    '    2.0 s  build',
    '   66.0 s  unit: 12 passed, 0 failed',
    '    3.0 s  browser: 0 passed, 1 failed, 1 skipped',
    'Slowest tests:',
    '   11.0 s  a.test.ts: ROOM-1 11',
  ])
  expect(lines.slice(14)).toStrictEqual([
    '    2.0 s  a.test.ts: ROOM-1 2',
    'failed: b.test.ts: ROOM-2 fails: Why\nat line 1',
    '12 passed, 1 failed, 1 skipped',
  ])
  const report = toReport(suites)
  expect(report).toMatchObject({ passed: 12, failed: 1, skipped: 1, seconds: 71 })
  expect(report.suites[1]).toStrictEqual({ name: 'unit', seconds: 66, passed: 12, failed: 0, skipped: 0 })
  expect(report.tests.at(-2)).toStrictEqual({ suite: 'browser', ...failed })
})

test('TESTS-1 a suite with several folders prints the counts and the test time of each folder', () => {
  const tests = [
    { ...passed, file: 'server/room/a.test.ts' },
    { ...passed, file: 'tests/api/a.test.ts', seconds: 4 },
    { ...failed, file: 'tests/api/b.test.ts', seconds: 2 },
  ]
  expect(summarize([{ name: 'node', seconds: 5, tests }]).slice(1, 4)).toStrictEqual([
    '    5.0 s  node: 2 passed, 1 failed',
    '           server: 1 passed, 0 failed, tests of 2 s',
    '           tests/api: 1 passed, 1 failed, tests of 6 s',
  ])
})

test('TESTS-1 the report has the time of the whole run, also when suites run at the same time', () => {
  const suites = [
    { name: 'node', seconds: 60, tests: [passed] },
    { name: 'browser', seconds: 50, tests: [passed] },
  ]
  expect(toReport(suites, 65)).toMatchObject({ passed: 2, seconds: 65 })
})

test('TESTS-2 every test file belongs to a suite', () => {
  const patterns = (vitestConfig.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
  )
  expect(patterns.length).toBeGreaterThan(5)
  const options = { cwd: projectRoot, exclude: ['**/node_modules'] }
  const included = new Set(globSync([...patterns, `${playwrightConfig.testDir}/**/*.test.ts`], options))
  const all = globSync('{bench,contract,scripts,server,tests,web}/**/*.test.{ts,tsx}', options)
  expect(all.filter((file) => !included.has(file))).toStrictEqual([])
})
