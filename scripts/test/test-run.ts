import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { processTree } from '../../tests/support/process-tree.ts'
import { ensureBuild } from '../build/ensure-build.ts'
import { useRunFolder } from '../run-folder.ts'
import { bin, root, run, runAndShowLater, logLine } from '../steps.ts'
import { failure, readPlaywrightReport, readVitestReport, type TestResult, toSeconds } from './test-reports.ts'
import { countTests, describe, type Suite, summarize, toReport } from './test-summary.ts'

const results = join(root, 'test-results')

/** Options that show one character for each test and the console output of failed tests only, and write a JSON report. */
const vitestOutput = ['--reporter=dot', '--reporter=json', '--silent=passed-only']

/** Creates a test run. It runs suites, one after the other or concurrently, and reports all results together. */
export function createTestRun() {
  const startedAtMs = performance.now()
  const suites: Suite[] = []
  mkdirSync(results, { recursive: true })
  // Tests start hundreds of servers from the same sources; compiling them takes a third of the time of a start.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compiled')
  // Use one folder for the temporary files of all tests: an interrupted test cannot remove its own.
  endAllOnSignal(useRunFolder('chat-room-tests-'))

  /** Runs one suite and keeps its time and results. */
  async function suite(name: string, runSuite: () => Promise<TestResult[]>): Promise<void> {
    const startMs = performance.now()
    const tests = forbidSkips(await runSuite())
    const seconds = toSeconds(performance.now() - startMs)
    suites.push({ name, seconds, tests })
    logLine(`${describe(name, tests)} in ${Math.round(seconds)} s`)
  }

  /**
   * Runs a command that writes a report to the given path. A command that fails without a failed test counts as a
   * failed test.
   */
  function reported(
    name: string,
    command: (report: string) => Promise<boolean>,
    read: (report: string) => TestResult[],
  ): Promise<void> {
    return suite(name, async () => {
      const report = join(results, `${name.toLowerCase().replaceAll(' ', '-')}.json`)
      rmSync(report, { force: true })
      const isFine = await command(report)
      const tests = readOr(report, read)
      if (isFine || countTests(tests).failed > 0) return tests
      return [...tests, failure(relative(root, report), '(outside of the tests)', `${name} exited with an error`)]
    })
  }

  return {
    suite,
    // Import lazily: only this suite needs the checks.
    checks: () => suite('checks', async () => (await import('../check/check.ts')).runChecks()),
    build: () => suite('build', async () => (await ensureBuild(), [])),
    vitest(
      name: string,
      projects: readonly string[],
      args: readonly string[] = [],
      { showLater = false } = {},
    ): Promise<void> {
      const runCommand = showLater ? runAndShowLater : run
      const chosen = projects.flatMap((project) => ['--project', project])
      const command = (report: string) =>
        runCommand(bin('vitest'), ['run', ...chosen, ...vitestOutput, `--outputFile.json=${report}`, ...args])
      return reported(name, command, readVitestReport)
    },
    /** Runs the browser tests. With `showLater`, the output appears when the suite ends. */
    playwright(args: readonly string[] = [], { showLater = false } = {}): Promise<void> {
      const runCommand = showLater ? runAndShowLater : run
      const command = (report: string) =>
        runCommand(bin('playwright'), ['test', '--reporter=dot,json', ...args], {
          // Node strips the types of the tests itself: Playwright's own compiler takes several times the CPU time.
          PW_DISABLE_TS_ESM: '1',
          PLAYWRIGHT_JSON_OUTPUT_NAME: report,
        })
      return reported('browser', command, readPlaywrightReport)
    },
    /** Prints the summary, writes `test-results/report.json` and ends the process. */
    finish(): never {
      const seconds = toSeconds(performance.now() - startedAtMs)
      writeFileSync(join(results, 'report.json'), JSON.stringify(toReport(suites, seconds), null, 1))
      logLine(`all suites in ${Math.round(seconds)} s`)
      for (const line of summarize(suites)) console.log(line)
      process.exit(suites.some(({ tests }) => countTests(tests).failed > 0) ? 1 : 0)
    },
  }
}

function readOr(report: string, read: (report: string) => TestResult[]): TestResult[] {
  try {
    return read(report)
  } catch (error) {
    return [failure(relative(root, report), '(no report)', String(error))]
  }
}

/** In CI, turns skipped tests into failures. */
function forbidSkips(tests: TestResult[]): TestResult[] {
  if (process.env['CI'] !== 'true') return tests
  return tests.map((test) => (test.status === 'skipped' ? failure(test.file, test.title, 'skipped in CI') : test))
}

/**
 * On SIGINT, SIGTERM or SIGHUP, kills every process that the run started, except the process `exceptPid` and its children.
 */
function endAllOnSignal(exceptPid: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      const excluded = new Set([process.pid, ...processTree(exceptPid).map(({ pid }) => pid)])
      for (const { pid } of processTree(process.pid)) if (!excluded.has(pid)) kill(pid)
      process.exit(128 + constants.signals[signal])
    })
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended meanwhile.
  }
}
