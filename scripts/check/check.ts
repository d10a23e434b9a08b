import { checkBrowserApis } from './browser-apis.ts'
import { checkDocuments } from '../docs.ts'
import { checkLayerRules } from './layer-rules.ts'
import { checkRequirementIds } from './requirement-ids.ts'
import { runQuietly, logLine } from '../steps.ts'
import { type TestResult, toSeconds } from '../test/test-reports.ts'

const checks: [name: string, check: () => boolean | Promise<boolean>][] = [
  ['types', () => runQuietly('tsc', ['-b'])],
  ['types of the bench', () => runQuietly('tsc', ['-p', 'bench'])],
  ['lint', () => runQuietly('oxlint', ['--type-aware', '--quiet'])],
  ['format', () => runQuietly('oxfmt', ['--check', '.'])],
  ['layer rules', checkLayerRules],
  ['dead code', () => runQuietly('knip', [])],
  ['browser APIs', checkBrowserApis],
  ['requirement ids', checkRequirementIds],
  ['generated docs', checkDocuments],
]

/** Runs all checks in parallel. Each check is one result. */
export function runChecks(): Promise<TestResult[]> {
  return Promise.all(
    checks.map(async ([name, check]): Promise<TestResult> => {
      const startMs = performance.now()
      const isFine = await check()
      if (!isFine) logLine(`check ${name}: FAILED`)
      const seconds = toSeconds(performance.now() - startMs)
      return { file: 'scripts/check/check.ts', title: name, status: isFine ? 'passed' : 'failed', seconds }
    }),
  )
}

if (import.meta.main) {
  const results = await runChecks()
  for (const { title, status, seconds } of results) logLine(`check ${title}: ${status} in ${seconds.toFixed(1)} s`)
  if (results.some(({ status }) => status === 'failed')) process.exitCode = 1
}
