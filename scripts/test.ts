import { enginePackages, ensurePrograms } from './programs.ts'
import { createTestRun } from './test-run.ts'

const run = createTestRun()
let missing: string[] = []

await run.suite('programs', async () => {
  missing = ensurePrograms()
  return []
})
await run.checks()
await run.build()
// Suites run one after the other: a server that is short of CPU rejects new clients, and a test would fail for it.
await run.vitest('unit and server', ['unit', 'docs', 'api', 'delivery', 'storage', 'operations'])
await run.vitest('security', ['security'])
await run.vitest('faults', ['faults'])
if (missing.includes('chromium')) await skip('browser', 'tests/e2e')
else await run.playwright()
if (enginePackages.some((engine) => missing.includes(engine))) await skip('engines', 'tests/engines')
else await run.vitest('engines', ['engines'])
run.finish()

/** Counts a suite whose browser is missing as one skipped test. */
function skip(name: string, file: string): Promise<void> {
  return run.suite(name, async () => [{ file, title: '(no browser)', status: 'skipped', seconds: 0 }])
}
