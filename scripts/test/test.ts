import { enginePackages, ensurePrograms } from '../programs.ts'
import { logLine } from '../steps.ts'
import { createTestRun } from './test-run.ts'

/** Commands that run longer versions of tests of this run. */
const longRuns = ['faults', 'faults -- --cluster', 'simulate', 'fuzz', 'attack', 'browsers']
const run = createTestRun()
let missing: string[] = []

await run.suite('programs', async () => {
  missing = ensurePrograms()
  return []
})
await run.checks()
await run.build()
// The tests of Node and of the browsers run at the same time, because some tests mostly wait while others use the CPU.
await Promise.all([
  run.vitest('node', ['unit', 'docs', 'api', 'delivery', 'storage', 'operations', 'security', 'faults']),
  runBrowsers(),
])
logLine(`longer runs: ${longRuns.map((name) => `npm run ${name}`).join(', ')}`)
run.finish()

async function runBrowsers(): Promise<void> {
  const options = { showLater: true }
  if (missing.includes('chromium')) await skip('browser', 'tests/e2e')
  else await run.playwright([], options)
  if (enginePackages.some((engine) => missing.includes(engine))) await skip('engines', 'tests/engines')
  else await run.vitest('engines', ['engines'], [], options)
}

/** Counts a suite whose browser is missing as one skipped test. */
function skip(name: string, file: string): Promise<void> {
  return run.suite(name, async () => [{ file, title: '(no browser)', status: 'skipped', seconds: 0 }])
}
