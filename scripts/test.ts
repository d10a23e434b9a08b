import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runChecks } from './check.ts'
import { ensureBuild } from './ensure-build.ts'
import { enginePackages, ensurePrograms } from './programs.ts'
import { bin, root, run, say } from './steps.ts'

interface Tally {
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

const results = join(root, 'test-results')
/** One after the other: faults and attacks want the machine to themselves. */
const vitestSuites = [['unit', 'server'], ['security'], ['faults']]

const total: Tally = { passed: 0, failed: 0, skipped: 0 }
/** Named again at the very end: a long run's log is often cut, and its end is what is kept. */
const failures: string[] = []
const isCi = process.env['CI'] === 'true'

mkdirSync(results, { recursive: true })
const missing = ensurePrograms()
add({ ...runChecks(), skipped: 0 })
await ensureBuild()
for (const projects of vitestSuites) add(await runVitest(projects))
const withoutBrowsers = isCi ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 }
add(enginePackages.some((engine) => missing.includes(engine)) ? withoutBrowsers : await runVitest(['engines']))
add(missing.includes('chromium') ? withoutBrowsers : await runPlaywright())

if (isCi && total.skipped > 0) {
  say(`${total.skipped} skipped, and in CI nothing may be`)
  add({ passed: 0, failed: total.skipped, skipped: -total.skipped })
}
for (const failure of failures) console.log(`failed: ${failure}`)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exit(total.failed > 0 ? 1 : 0)

function add({ passed, failed, skipped }: Tally): void {
  total.passed += passed
  total.failed += failed
  total.skipped += skipped
}

async function runVitest(projects: string[]): Promise<Tally> {
  const report = join(results, `vitest-${projects.join('-')}.json`)
  rmSync(report, { force: true })
  const isFine = await run(bin('vitest'), [
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  return tally(isFine, report, (json: VitestReport) => {
    failures.push(...json.testResults.flatMap(failuresInFile))
    return { passed: json.numPassedTests, failed: json.numFailedTests, skipped: json.numPendingTests }
  })
}

async function runPlaywright(): Promise<Tally> {
  const report = join(results, 'playwright.json')
  rmSync(report, { force: true })
  const isFine = await run(bin('playwright'), ['test', '--reporter=dot,json'], { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  return tally(isFine, report, ({ stats, suites }: PlaywrightReport) => {
    failures.push(...suites.flatMap(failuresInSuite))
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
  })
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

/** A suite that broke down without a failed test, or left no report, still counts as a failure. */
function tally<Report>(isFine: boolean, report: string, read: (json: Report) => Tally): Tally {
  try {
    const counted = read(JSON.parse(readFileSync(report, 'utf8')) as Report)
    return !isFine && counted.failed === 0 ? { ...counted, failed: 1 } : counted
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
