import { ensureBuild } from './ensure-build.ts'
import { enginePackages, ensurePrograms } from './programs.ts'
import { bin, run, say } from './steps.ts'

/** The walks through the room in Chromium, Firefox and WebKit; `npm test` has only the shortest of them. */
const missing = ensurePrograms().filter((name) => enginePackages.includes(name))
if (missing.length > 0) {
  say(`cannot drive the browsers without ${missing.join(', ')}`)
  process.exit(1)
}
await ensureBuild()
const isFine = await run(bin('vitest'), ['run', '--project', 'browsers', ...process.argv.slice(2)])
process.exit(isFine ? 0 : 1)
