import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from '../steps.ts'

export type Status = 'passed' | 'failed' | 'skipped'

export interface TestResult {
  file: string
  title: string
  status: Status
  seconds: number
  /** First lines of the error of a failed test. They may include the output of a program that failed. */
  error?: string
}

/**
 * Number of shown lines of an error: enough for an assertion with its diff, or for the last lines of a server's log.
 */
const linesOfError = 15

interface VitestReport {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; duration?: number | null; failureMessages: string[] }[]
  }[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
  /** Errors outside of any test, such as a file that cannot be loaded. */
  errors: { message?: string }[]
}

interface PlaywrightSuite {
  title: string
  file: string
  specs: { title: string; tests: PlaywrightTest[] }[]
  suites?: PlaywrightSuite[]
}

interface PlaywrightTest {
  projectName: string
  status: 'expected' | 'unexpected' | 'flaky' | 'skipped'
  results: { duration: number; error?: { message?: string } }[]
}

/** Reads the results of every test from a report of Vitest's JSON reporter. */
export function readVitestReport(file: string): TestResult[] {
  const { testResults } = readJson(file) as VitestReport
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(root, name)
    const tests = assertionResults.map((test) => ({
      file: path,
      title: test.fullName,
      status: vitestStatus(test.status),
      seconds: toSeconds(test.duration ?? 0),
      ...(test.status === 'failed' ? { error: firstLines(test.failureMessages[0] ?? '') } : {}),
    }))
    const hasOwnFailure = status === 'failed' && tests.every((test) => test.status !== 'failed')
    return hasOwnFailure ? [...tests, failure(path, '(outside of the tests)', message)] : tests
  })
}

/** Reads the results of every test from a report of Playwright's JSON reporter. */
export function readPlaywrightReport(file: string): TestResult[] {
  const { suites, errors } = readJson(file) as PlaywrightReport
  return [
    ...suites.flatMap((suite) => testsOf(suite, [])),
    ...errors.map(({ message = '' }) => failure('tests/e2e', '(outside of the tests)', message)),
  ]
}

/** Returns the tests of a suite and of the suites in it, which Playwright nests by file and `describe`. */
function testsOf({ title, file, specs, suites = [] }: PlaywrightSuite, parents: string[]): TestResult[] {
  const path = title === file ? parents : [...parents, title]
  const own = specs.flatMap((spec) =>
    spec.tests.map(({ status, results }) => {
      const error = results.find((result) => result.error !== undefined)?.error?.message
      return {
        file: `tests/e2e/${file}`,
        title: [...path, spec.title].join(' '),
        status: playwrightStatus(status),
        seconds: toSeconds(results.reduce((sum, { duration }) => sum + duration, 0)),
        ...(error === undefined ? {} : { error: firstLines(error) }),
      }
    }),
  )
  return [...own, ...suites.flatMap((suite) => testsOf(suite, path))]
}

export function failure(file: string, title: string, error: string): TestResult {
  return { file, title, status: 'failed', seconds: 0, error: firstLines(error) }
}

function vitestStatus(status: string): Status {
  return status === 'passed' || status === 'failed' ? status : 'skipped'
}

/** Maps Playwright's status. A test that passes only on a retry counts as failed, because a flaky test hides a defect. */
function playwrightStatus(status: PlaywrightTest['status']): Status {
  if (status === 'expected') return 'passed'
  return status === 'skipped' ? 'skipped' : 'failed'
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function toSeconds(ms: number): number {
  return Math.round(ms) / 1_000
}

function firstLines(text: string): string {
  return text.split('\n').slice(0, linesOfError).join('\n')
}
