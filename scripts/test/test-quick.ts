// Runs the checks and every test that starts neither a process nor a browser.

import { createTestRun } from './test-run.ts'

const run = createTestRun()
await run.checks()
await run.build()
await run.vitest('unit and API', ['unit', 'docs', 'api'])
run.finish()
