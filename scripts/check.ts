import { runQuietly, say } from './steps.ts'

const checks: [name: string, command: string, args: string[]][] = [
  ['types', 'tsc', ['-b']],
  ['types of the bench', 'tsc', ['-p', 'bench']],
  ['lint', 'oxlint', ['--type-aware', '--quiet']],
  ['format', 'oxfmt', ['--check', '.']],
  ['dead code', 'knip', []],
]

/** Types, lint, format, dead code: each passes or fails as one. */
export function runChecks(): { passed: number; failed: number } {
  let passed = 0
  for (const [name, command, args] of checks) {
    const isFine = runQuietly(command, args)
    say(`check ${name}: ${isFine ? 'fine' : 'FAILED'}`)
    if (isFine) passed++
  }
  return { passed, failed: checks.length - passed }
}

if (import.meta.main && runChecks().failed > 0) process.exitCode = 1
