import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './steps.ts'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  suites: PlaywrightSuite[]
}

interface PlaywrightSuite {
  file: string
  specs: { title: string; ok: boolean }[]
  suites?: PlaywrightSuite[]
}

export interface Outcome extends Tally {
  /** Each by its file and name, with the first line of what went wrong. */
  failures: string[]
}

export function readVitestReport(file: string, isFine: boolean): Outcome {
  return outcomeOf(file, isFine, (report: VitestReport) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
    failures: report.testResults.flatMap(failuresInFile),
  }))
}

export function readPlaywrightReport(file: string, isFine: boolean): Outcome {
  return outcomeOf(file, isFine, ({ stats, suites }: PlaywrightReport) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: suites.flatMap(failuresInSuite),
  }))
}

/** A suite that broke down without a failed test, or left no report, still counts as a failure. */
function outcomeOf<Report>(file: string, isFine: boolean, read: (report: Report) => Outcome): Outcome {
  try {
    const outcome = read(JSON.parse(readFileSync(file, 'utf8')) as Report)
    return isFine || outcome.failed > 0 ? outcome : { ...outcome, failed: 1 }
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`${relative(root, file)} was not written`] }
  }
}

function failuresInFile({ name, status, message, assertionResults }: VitestReport['testResults'][number]): string[] {
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length === 0 && status === 'failed') return [`${relative(root, name)}: ${firstLine(message)}`]
  return tests.map((test) => `${relative(root, name)}: ${test.fullName}: ${firstLine(test.failureMessages[0] ?? '')}`)
}

function failuresInSuite({ file, specs, suites }: PlaywrightSuite): string[] {
  const own = specs.filter(({ ok }) => !ok).map(({ title }) => `${file}: ${title}`)
  return [...own, ...(suites ?? []).flatMap(failuresInSuite)]
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
