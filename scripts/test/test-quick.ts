// Runs the checks, and the unit, document and API tests, which start no browser.

import { createTestRun } from './test-run.ts'

const run = createTestRun()
await run.checks()
await run.build()
await run.vitest('unit and API', ['unit', 'docs', 'api'])
run.finish()
