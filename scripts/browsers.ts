// Runs all tests of tests/engines in Chromium, Firefox and WebKit; `npm test` runs only smoke.suite.ts. Then checks the
// layout in Chromium for all combinations of window size, text size and login; `npm test` checks half of them.

import { ensureBuild } from './build/ensure-build.ts'
import { enginePackages, ensurePrograms } from './programs.ts'
import { bin, run, logLine } from './steps.ts'

const missing = ensurePrograms().filter((name) => enginePackages.includes(name))
if (missing.length > 0) {
  logLine(`programs are missing: install ${missing.join(', ')}`)
  process.exit(1)
}
await ensureBuild()
const args = process.argv.slice(2)
const hasPassed = await run(bin('vitest'), ['run', '--project', 'browsers', ...args])
// Arguments select tests of Vitest. With arguments, the script skips the layout check.
const hasMatrixPassed =
  args.length > 0 || (await run(bin('playwright'), ['test', '-g', '@matrix'], { E2E_MATRIX: 'all' }))
process.exit(hasPassed && hasMatrixPassed ? 0 : 1)
