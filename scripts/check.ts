import { checkBrowserApis } from './browser-apis.ts'
import { checkDocuments } from './docs.ts'
import { checkRequirementIds } from './requirement-ids.ts'
import { runQuietly, logLine } from './steps.ts'
import type { Outcome } from './test-reports.ts'

const checks: [name: string, check: () => boolean | Promise<boolean>][] = [
  ['types', () => runQuietly('tsc', ['-b'])],
  ['types of the bench', () => runQuietly('tsc', ['-p', 'bench'])],
  ['lint', () => runQuietly('oxlint', ['--type-aware', '--quiet'])],
  ['format', () => runQuietly('oxfmt', ['--check', '.'])],
  ['dead code', () => runQuietly('knip', [])],
  ['browser APIs', checkBrowserApis],
  ['requirement ids', checkRequirementIds],
  ['generated docs', checkDocuments],
]

/** Runs all checks in parallel. Each check passes or fails as a whole. */
export async function runChecks(): Promise<Outcome> {
  const failures: string[] = []
  await Promise.all(
    checks.map(async ([name, check]) => {
      const isFine = await check()
      logLine(`check ${name}: ${isFine ? 'fine' : 'FAILED'}`)
      if (!isFine) failures.push(`check ${name}`)
    }),
  )
  return { passed: checks.length - failures.length, failed: failures.length, skipped: 0, failures }
}

if (import.meta.main && (await runChecks()).failed > 0) process.exitCode = 1
