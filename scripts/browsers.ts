import { ensureBuild } from './ensure-build.ts'
import { enginePackages, ensurePrograms } from './programs.ts'
import { bin, run, logLine } from './steps.ts'

// Runs all tests of tests/engines in Chromium, Firefox and WebKit; `npm test` runs only smoke.test.ts.
const missing = ensurePrograms().filter((name) => enginePackages.includes(name))
if (missing.length > 0) {
  logLine(`browsers are missing: install ${missing.join(', ')}`)
  process.exit(1)
}
await ensureBuild()
const hasPassed = await run(bin('vitest'), ['run', '--project', 'browsers', ...process.argv.slice(2)])
process.exit(hasPassed ? 0 : 1)
