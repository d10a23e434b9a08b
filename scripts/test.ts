import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { ensureBuild } from './ensure-build.ts'
import { enginePackages, ensurePrograms } from './programs.ts'
import { bin, root, run, logLine } from './steps.ts'
import { type Outcome, readPlaywrightReport, readVitestReport, type Tally } from './test-reports.ts'

const results = join(root, 'test-results')
const total: Tally = { passed: 0, failed: 0, skipped: 0 }
/** Named again at the very end: a long run's log is often cut, and its end is what is kept. */
const failures: string[] = []
const isCi = process.env['CI'] === 'true'
// Tests start hundreds of servers from the same sources: a third of a start is reading them.
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compiled')

mkdirSync(results, { recursive: true })
const missing = ensurePrograms()
add(await runChecks())
await ensureBuild()
// One after the other: a server that is short of time refuses newcomers, and a test beside it would call that a defect.
await runVitest(['unit', 'server'])
for (const project of ['security', 'faults']) await runVitest([project])
await runInBrowsers()

if (isCi && total.skipped > 0) {
  logLine(`${total.skipped} skipped, and in CI nothing may be`)
  add({ passed: 0, failed: total.skipped, skipped: -total.skipped })
}
for (const failure of failures) console.log(`failed: ${failure}`)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exit(total.failed > 0 ? 1 : 0)

function add(outcome: Tally & Partial<Outcome>): void {
  total.passed += outcome.passed
  total.failed += outcome.failed
  total.skipped += outcome.skipped
  failures.push(...(outcome.failures ?? []))
}

/** Runs a suite that leaves a report, and counts what the report says. */
async function runSuite(
  name: string,
  runIt: (report: string) => Promise<boolean>,
  read: (report: string, isFine: boolean) => Outcome,
): Promise<void> {
  const report = join(results, `${name}.json`)
  rmSync(report, { force: true })
  const beganMs = performance.now()
  const outcome = read(report, await runIt(report))
  logLine(`${name}: ${outcome.passed} passed in ${Math.round((performance.now() - beganMs) / 1_000)} s`)
  add(outcome)
}

function runVitest(projects: string[]): Promise<void> {
  const chosen = projects.flatMap((project) => ['--project', project])
  const runIt = (report: string) =>
    run(bin('vitest'), ['run', ...chosen, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`])
  return runSuite(`vitest-${projects.join('-')}`, runIt, readVitestReport)
}

async function runInBrowsers(): Promise<void> {
  const withoutBrowser = isCi ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 }
  const playwright = (report: string) =>
    run(bin('playwright'), ['test', '--reporter=dot,json'], { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  if (missing.includes('chromium')) add(withoutBrowser)
  else await runSuite('playwright', playwright, readPlaywrightReport)
  if (enginePackages.some((engine) => missing.includes(engine))) add(withoutBrowser)
  else await runVitest(['engines'])
}
