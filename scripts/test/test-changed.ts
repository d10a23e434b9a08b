// Runs the tests that are affected by changes since the merge base with `main`, including uncommitted changes. `-- HEAD~3`
// replaces `main` by another revision.

import { execFileSync } from 'node:child_process'
import { ensurePrograms } from '../programs.ts'
import { root, logLine } from '../steps.ts'
import { createTestRun } from './test-run.ts'

/** Matches the sources of the page, which the browser tests use without importing them. */
const browserSources = /^(?:web|contract)\//

const base = git('merge-base', 'HEAD', process.argv[2] ?? 'main')
const changed = [
  ...lines(git('diff', '--name-only', base)),
  ...lines(git('ls-files', '--others', '--exclude-standard')),
]
logLine(`changed files since ${base.slice(0, 10)}: ${changed.length}`)

ensurePrograms()
const run = createTestRun()
await run.checks()
await run.build()
// Run all of these tests, because they read files instead of importing them.
await run.vitest('docs', ['docs'])
const projects = ['unit', 'api', 'delivery', 'storage', 'operations', 'security', 'faults']
await run.vitest('affected', projects, ['--changed', base, '--passWithNoTests'])
if (changed.some((file) => browserSources.test(file))) await run.playwright()
else await run.playwright([`--only-changed=${base}`, '--pass-with-no-tests'])
run.finish()

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
