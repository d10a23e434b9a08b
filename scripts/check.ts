import { checkRequirementIds } from './requirement-ids.ts'
import { runQuietly, say } from './steps.ts'

const checks: [name: string, check: () => boolean][] = [
  ['types', () => runQuietly('tsc', ['-b'])],
  ['types of the bench', () => runQuietly('tsc', ['-p', 'bench'])],
  ['lint', () => runQuietly('oxlint', ['--type-aware', '--quiet'])],
  ['format', () => runQuietly('oxfmt', ['--check', '.'])],
  ['dead code', () => runQuietly('knip', [])],
  ['requirement ids', checkRequirementIds],
]

/** Types, lint, format, dead code, ids: each passes or fails as one. */
export function runChecks(): { passed: number; failed: number } {
  let passed = 0
  for (const [name, check] of checks) {
    const isFine = check()
    say(`check ${name}: ${isFine ? 'fine' : 'FAILED'}`)
    if (isFine) passed++
  }
  return { passed, failed: checks.length - passed }
}

if (import.meta.main && runChecks().failed > 0) process.exitCode = 1
